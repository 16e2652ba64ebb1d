//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "election.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/redirect_error.hpp>

#include "composite_account.hpp"
#include "lock_state.hpp"
#include "log_sink.hpp"
#include "pause.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;
using acquired = outcome_of<lease>;

constexpr core::duration shortest_pause = 2ms;

core::instant last_answer(acquire_request const& r, core::instant now) noexcept
{
    auto const within = r.wait == 0ms ? r.limit : r.wait;
    return within ? now + *within : core::never;
}

}  // namespace

election::election(std::shared_ptr<red_state const> of, std::shared_ptr<client_state> clock, acquire_request const& r)
    : lock_(std::move(of)),
      clock_(std::move(clock)),
      request_(as_part(r)),
      deadline_(r.wait ? clock_->now() + *r.wait : core::never),
      last_answer_(last_answer(r, clock_->now())),
      pause_(shortest_pause)
{}

asio::awaitable<acquired> election::run()
{
    co_await be_cancelled_by_hand();
    std::optional<turnstile::turn> turn;
    co_await wait_for_turn(turn);
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return acquired(asio::error::operation_aborted, lease());
    if (queue_)
        last_ = queue_->last();
    bool const is_late = request_.wait != 0ms && is_over();
    if (failed_ || !turn || is_late)
        co_return failure();
    auto end = co_await run_rounds();
    co_return end;
}

// One attempt does not queue, nor does a re-entry. Without a turn: it was cancelled, its time is over, or it failed.
asio::awaitable<void> election::wait_for_turn(std::optional<turnstile::turn>& turn)
{
    if (request_.wait == 0ms || is_re_entry())
        turn.emplace();
    while (!turn && !failed_ && !is_over()) {
        bool const cancelled = co_await queue_up(turn);
        if (cancelled)
            co_return;
    }
}

// Its place in the queue is lost with the client whose clock it goes by. True: it was cancelled.
asio::awaitable<bool> election::queue_up(std::optional<turnstile::turn>& turn)
{
    auto const queue = queue_ = lock_->queue();
    if (!queue || queue->try_enter()) {
        turn.emplace(queue);
        co_return false;
    }
    auto const here = co_await asio::this_coro::executor;
    auto const ended = co_await asio::experimental::make_parallel_group(
                           asio::bind_executor(here, queue->enter(here, asio::deferred)),
                           asio::bind_executor(here, pause_until(clock_, deadline_)))
                           .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (!std::get<1>(ended))
        turn.emplace(queue);
    else if (std::get<2>(ended) == errc::client_stopped)
        change_clock();
    bool const cancelled = co_await is_cancelled();
    co_return cancelled;
}

asio::awaitable<acquired> election::run_rounds()
{
    for (;;) {
        ballot round(lock_, clock_, std::move(kept_));
        co_await round.cast(request_, last_answer_);
        bool cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        failed_ = round.failed();
        note(round);
        if (round.is_won())
            co_return acquired(error_code(), round.win());
        round.give_back();
        if (failed_ || is_over())
            co_return failure();
        auto const took = clock_->now() - round.began();
        pause_ = std::min<core::duration>(2 * std::max(pause_, took), clock_->options().poll_interval);
        co_await part(round);
        cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        if (failed_ || is_over())
            co_return failure();
    }
}

// Whoever waits in the queue waits for what the owner of a re-entry holds, so a re-entry must not wait behind them.
bool election::is_re_entry() const
{
    auto const is_held = [](auto const& m) {
        auto const* one = dynamic_cast<lock_state const*>(m.get());
        return one && one->owner && one->owner->holds(one->lock.key);
    };
    auto const& all = lock_->members();
    return static_cast<std::size_t>(std::ranges::count_if(all, is_held)) > all.size() - lock_->quorum();
}

// The log has the first round without a majority, and each change of what is in the way of one.
void election::note(ballot const& round)
{
    auto const result = round.result();
    last_ = after(last_, result);
    if (queue_)
        queue_->note(result);
    if (failed_ || result == round_result::won)
        return;
    answers_ = round.describe();
    if (result == round_result::inconclusive)
        return;
    auto const before = std::exchange(obstacles_, result == round_result::no_majority ? round.obstacles() : "");
    if (!obstacles_.empty() && obstacles_ != before)
        tell(answers_);
}

// A client that is stopped, or about to be, keeps no time: then that of the next node does.
void election::change_clock()
{
    if (++clocks_failed_ >= lock_->members().size())
        failed_ = errc::client_stopped;
    else if (auto const c = lock_->members()[clocks_failed_]->home(); c && c->is_alive())
        clock_ = c;
}

bool election::is_over() const noexcept
{
    return deadline_ != core::never && deadline_ - clock_->now() < 1ms;
}

acquired election::failure() const
{
    if (failed_)
        return {failed_, lease()};
    auto const ec = error_of_timeout(last_);
    if (ec && obstacles_.empty())
        tell(answers_.empty() ? "the time was over before a round" : answers_);
    return {ec, lease()};
}

void election::tell(std::string const& why) const
{
    auto const line = "red_lock " + in_quotes(lock_->name()) + ": no majority: " + why;
    clock_->remember(errc::no_quorum, line);
    make_log(clock_->options()).warning(line);
}

// Somebody who holds a majority is waited for at one server, where all who wait meet, so that one of them goes on and they
// do not split the votes anew. Who cannot be such a holder is another contender, or dead: a random time parts us.
asio::awaitable<void> election::part(ballot const& last)
{
    if (last.busy() >= lock_->quorum())
        co_return co_await wait_at(last.busy_node());
    error_code ec;
    co_await pause(clock_, {}, pause_, deadline_, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == errc::client_stopped)
        change_clock();
}

asio::awaitable<void> election::wait_at(std::size_t node)
{
    auto const here = co_await asio::this_coro::executor;
    auto request = request_;
    request.wait.reset();
    auto in_the_way = asio::bind_executor(here, acquire(lock_->members()[node], request, asio::deferred));
    auto enough = asio::bind_executor(here, pause(clock_, pause_ / 2, pause_ / 2, deadline_, asio::deferred));
    auto ended = co_await asio::experimental::make_parallel_group(std::move(in_the_way), std::move(enough))
                     .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (std::get<3>(ended) == errc::client_stopped)
        change_clock();
    if (std::get<2>(ended).empty())
        co_return;
    kept_ = std::vector<lease>(lock_->members().size());
    kept_[node] = std::move(std::get<2>(ended));
}

asio::awaitable<acquired> elect(
    std::shared_ptr<red_state const> of, std::shared_ptr<client_state> clock, acquire_request request)
{
    composite_account account(clock, of, request);
    election e(std::move(of), std::move(clock), request);
    auto end = co_await e.run();
    account.end(std::get<error_code>(end), std::get<lease>(end));
    co_return end;
}

}  // namespace holdfast::detail
