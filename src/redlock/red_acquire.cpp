//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/red_acquire.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "operations/single_lock.hpp"

namespace holdfast::detail {
namespace {

using namespace std::chrono_literals;
using acquired = outcome_of<lease>;

// A contender's wait for its turn, on its own strand.
struct queue_entry {
    std::shared_ptr<fifo_mutex> into;
    void begin(handler_at<void(error_code)> h) const { into->wait(std::move(h)); }
};

constexpr core::duration shortest_pause = 2ms;

// When a round must end at the latest. One attempt of a red_lock that is a member of a multi_lock has the limit of the
// multi_lock; other single attempts have none but node_timeout.
core::instant last_answer(acquire_request const& r, client_state const& clock) noexcept
{
    return deadline_of(clock, r.wait == 0ms ? r.limit : r.wait);
}

}  // namespace

red_acquire::red_acquire(std::shared_ptr<red_lock_impl const> of, composite_lock::start s)
    : lock_(std::move(of)),
      clock_(std::move(s.clock)),
      request_(as_part(s.request)),
      is_part_(s.request.is_part),
      account_(clock_, lock_, s.request, std::move(s.context)),
      deadline_(deadline_of(*clock_, s.request.wait)),
      last_answer_(last_answer(s.request, *clock_)),
      pause_(shortest_pause),
      open_(std::make_shared<attempts_under_way>(lock_->members().size()))
{}

// If the coroutine is destroyed with its execution context, the destructor of account_ counts the acquire as cancelled.
task<acquired> red_acquire::run()
{
    auto end = co_await run_in_turn();
    account_.end(std::get<described_error>(end), std::get<lease>(end));
    co_return end;
}

task<acquired> red_acquire::run_in_turn()
{
    co_await be_cancelled_by_hand();
    std::optional<fifo_mutex::turn> turn;  // until this function ends: the next contender enters then, in every case
    co_await wait_for_turn(turn);
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return acquired(asio::error::operation_aborted, lease());
    // A wait that ended in the queue had no round of its own. Whether it ends as busy or as no_quorum depends on the
    // rounds of the contender in front.
    if (queue_)
        last_ = queue_->last();
    bool const is_late = request_.wait != 0ms && has_passed(deadline_, *clock_);
    if (failed_ || !turn || is_late)
        co_return failure();
    auto end = co_await run_rounds();
    co_return end;
}

// A single attempt does not wait, so it needs no turn. Neither does a re-entry. Afterwards there is no turn if the
// acquire was cancelled, if its wait ended, or if it failed.
task<void> red_acquire::wait_for_turn(std::optional<fifo_mutex::turn>& turn)
{
    if (request_.wait == 0ms || is_re_entry())
        turn.emplace();
    while (!turn && !failed_ && !has_passed(deadline_, *clock_)) {
        bool const cancelled = co_await queue_up(turn);
        if (cancelled)
            co_return;
    }
}

// Waits for a turn, until the deadline. Returns true if the acquire was cancelled.
task<bool> red_acquire::queue_up(std::optional<fifo_mutex::turn>& turn)
{
    // Null: all clients have been destroyed. The first round then ends with an error.
    auto const queue = queue_ = lock_->queue();
    if (!queue || queue->try_enter()) {
        turn.emplace(queue);
        co_return false;
    }
    std::vector<question<queue_entry>> entry;
    entry.push_back({{queue}, nullptr});
    auto const limit = deadline_ == core::never ? std::nullopt : std::optional(time_limit{.until = deadline_});
    first_answer const enough;
    auto const ended = co_await ask<>(std::move(entry), enough, clients_of(lock_->members()), limit);
    // If it has entered, the mutex is locked and must be unlocked again, even if the acquire was cancelled or its wait
    // has ended. The queue is a part of this process, so it always answers.
    if (auto const& a = ended.of.front(); a && !std::get<described_error>(*a))
        turn.emplace(queue);
    change_clock();
    bool const cancelled = co_await is_cancelled();
    co_return cancelled;
}

task<acquired> red_acquire::run_rounds()
{
    for (;;) {
        red_round round(lock_, clock_, std::move(kept_), open_);
        co_await round.run(request_, last_answer_);
        bool cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        failed_ = round.failed();
        record(round);
        if (round.is_won())
            co_return acquired(error_code(), round.take_lease(account_.begin_hold()));
        // Before the pause: a minority that is held would keep other contenders from a majority.
        round.give_back();
        is_cut_off_ = round.is_cut_off();
        if (is_final() || is_over() || is_cut_off_)
            co_return failure();
        // If the rounds of several contenders overlap, a random pause separates them only if it is longer than a round.
        core::duration const longest = clock_->options().poll_interval;
        auto const took = clock_->now() - round.began();
        pause_ = std::min(2 * std::min(std::max(pause_, took), longest), longest);
        co_await wait_before_next_round(round);
        cancelled = co_await is_cancelled();
        if (cancelled)
            co_return acquired(asio::error::operation_aborted, lease());
        if (is_final() || is_over())
            co_return failure();
    }
}

// True if the owner holds so many members that no other contender can have a majority. The contenders in the queue wait
// for locks that this owner holds, so a re-entry that waited behind them would be a deadlock until a lease ends.
bool red_acquire::is_re_entry() const
{
    auto const is_held = [](single_lock const* l) { return l->owner && l->owner->holds(l->lock.key); };
    auto const all = lock_->nodes();
    return static_cast<std::size_t>(std::ranges::count_if(all, is_held)) > all.size() - lock_->quorum();
}

// Logs the first round without a majority, and each change of its reasons after it: an acquire without a time
// limit would wait in silence otherwise, for example where servers deny INFO. An inconclusive round changes
// nothing that is known.
void red_acquire::record(red_round const& round)
{
    auto const result = round.result();
    last_ = after(last_, result);
    if (queue_)
        queue_->record(result);
    if (is_final() || result == round_result::won)
        return;
    answers_ = round.describe();
    if (result == round_result::inconclusive)
        return;
    auto const before = std::exchange(shortfall_, result == round_result::no_majority ? round.shortfall() : "");
    if (!shortfall_.empty() && shortfall_ != before)
        log_no_majority(answers_);
}

// A client whose execution context has ended has no clock.
void red_acquire::change_clock()
{
    if (!clock_->is_alive())
        if (auto const c = lock_->home())
            clock_ = c;
}

// The result without a lease: busy, an error, or no_quorum. The reason of no_quorum is recorded, unless
// record() has logged it.
acquired red_acquire::failure() const
{
    if (failed_)
        return {failed_, lease()};
    auto ec = error_of_timeout(last_);
    if (is_cut_off_)
        ec = unconnected_error(is_part_, errc::no_quorum);
    if (!ec)
        return {described_error(), lease()};
    std::string const why = answers_.empty() ? "the time limit ended before a round was complete" : answers_;
    if (shortfall_.empty())
        log_no_majority(why);
    return {described_error(ec, make_error_text("no majority: " + why)), lease()};
}

void red_acquire::log_no_majority(std::string const& why) const
{
    auto const line = "red_lock " + in_quotes(lock_->name()) + ": no majority: " + why;
    clock_->remember(errc::no_quorum, line);
    clock_->warn(line);
}

// If another contender may hold a majority, all waiters wait at the same server, the first one that is busy. Its
// release wakes one of them, which then continues with the other servers: so the waiters do not split the servers
// between them again. If no contender can hold a majority, the servers are split between contenders, or a holder
// crashed: then each waits for a random time.
task<void> red_acquire::wait_before_next_round(red_round const& last)
{
    if (last.busy() >= lock_->quorum())
        co_return co_await wait_for_holder_at(last.busy_node());
    co_await pause_here(clients_of(lock_->members()), {.least = {}, .spread = pause_, .until = deadline_});
    change_clock();
}

// Waits for a random time at most, because this server may stay busy although others become free. The lease that it
// acquires is kept for the next round.
task<void> red_acquire::wait_for_holder_at(std::size_t node)
{
    auto request = request_;
    request.wait.reset();
    auto const& wanted = lock_->members()[node];
    std::vector<question<acquire_initiation>> in_the_way;
    in_the_way.push_back({make_initiation(start_acquire, wanted, request), wanted->home()});
    time_limit const within{.least = pause_ / 2, .spread = pause_ / 2, .until = deadline_};
    first_answer const enough;
    auto ended = co_await ask<lease>(std::move(in_the_way), enough, clients_of(lock_->members()), within);
    change_clock();
    auto& a = ended.of.front();
    if (!a || std::get<lease>(*a).empty())
        co_return;
    kept_ = std::vector<lease>(lock_->members().size());
    kept_[node] = std::move(std::get<lease>(*a));
}

namespace {

// A free function with parameters: the coroutine frame owns the acquire.
task<acquired> acquire_red(std::shared_ptr<red_lock_impl const> of, composite_lock::start s)
{
    red_acquire one(std::move(of), std::move(s));
    co_return co_await one.run();
}

}  // namespace

// ---- red_lock_impl

// Each exchange of a round may take node_timeout, and with fencing there are two. At least half of the validity
// must be left after them.
std::string red_lock_impl::request_error(acquire_request const& r) const
{
    if (auto what = composite_lock::request_error(r); !what.empty())
        return what;
    auto const rounds = options_.fencing ? 2 : 1;
    for (auto const& m : members()) {
        auto const c = m->home();
        core::duration const lease = r.lease.value_or(c ? c->options().lease : 100ms);
        if (c && lease > max_lease())
            return "lease: must not be longer than max_lease";
        if (lease - core::drift(lease) <= 2 * rounds * node_timeout(lease))
            return "lease: must be longer than twice node_timeout, or four times with fencing";
    }
    return {};
}

void red_lock_impl::begin_acquire(handler_at<void(error_code, lease)> h, start s) const
{
    auto self = std::static_pointer_cast<red_lock_impl const>(shared_from_this());
    coordinate(std::move(h), self, acquire_red(self, std::move(s)));
}

}  // namespace holdfast::detail
