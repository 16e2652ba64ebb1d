//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/collector.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/mutex.hpp>

#include "tool/connection.hpp"

namespace holdfast::cli::dashboard {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A step of this size takes the server about two milliseconds at most, in which it serves nobody else.
constexpr unsigned keys_of_step = 200;
constexpr std::size_t names_of_step = 100;
constexpr auto pause_after_failure = 1s;
// While a primary does not answer, the others are not looked at.
constexpr pace::duration limit_in_cluster = 500ms;
constexpr pace::duration longest = 1h;

// The client has ended for good.
bool has_ended(error_code ec)
{
    return ec == errc::not_running || ec == errc::client_stopped;
}

}  // namespace

// The limit of a query of one server is config::command_timeout.
asio::awaitable<error_code> collector::query(detail::survey_step what, detail::survey_page& to, pace::duration& took)
{
    error_code ec;
    auto const begun = steady_clock::now();
    auto const limit = slots_.size() > 1 ? limit_in_cluster : longest;
    to = co_await detail::query_survey(
        client_, std::move(what), asio::cancel_after(limit, asio::redirect_error(asio::use_awaitable, ec)));
    took = steady_clock::now() - begun;
    co_return ec == asio::error::operation_aborted&& took >= limit ? errc::unavailable : ec;
}

// The SCAN of one primary goes on, and each primary is asked for its locks that were not looked at for long.
asio::awaitable<error_code> collector::step()
{
    error_code ec;
    auto stale = board_.table().stalest(names_of_step, steady_clock::now() - interval_);
    auto parts = co_await detail::query_primaries(
        client_, std::move(stale), asio::redirect_error(asio::use_awaitable, ec));
    if (ec || parts.empty())
        co_return ec ? ec : errc::unavailable;
    begin_pass_if_due(parts);
    co_return co_await look_at_all(parts);
}

// An error: no server answers.
asio::awaitable<error_code> collector::look_at_all(std::vector<detail::primary_part> const& parts)
{
    error_code last;
    std::vector<std::uint16_t> silent;
    auto const scanned = primary_;
    bool const tries_again = steady_clock::now() >= next_trial_;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        error_code ec;
        if (is_silent(parts[i]))
            ec = co_await check(parts[i], tries_again);
        if (!ec)
            ec = co_await look_at(parts[i], i == scanned);
        if (has_ended(ec))
            co_return ec;
        if (!ec)
            continue;
        last = ec;
        silent.push_back(parts[i].slot);
        if (i == scanned)
            pass_over();
    }
    if (tries_again)
        next_trial_ = steady_clock::now() + pause_after_failure;
    silent_ = std::move(silent);
    if (silent_.size() == parts.size())
        co_return last;
    co_await name_silent(parts);
    end_primary_if_due();
    co_return error_code();
}

// Whether a primary that did not answer does so again.
asio::awaitable<error_code> collector::check(detail::primary_part const& at, bool is_due)
{
    if (!is_due)
        co_return errc::unavailable;
    detail::survey_page page;
    pace::duration took{};
    detail::survey_step nothing{.slot = at.slot};
    co_return co_await query(std::move(nothing), page, took);
}

bool collector::is_silent(detail::primary_part const& p) const
{
    return std::ranges::find(silent_, p.slot) != silent_.end();
}

// The cluster knows the address of a primary that does not answer.
asio::awaitable<void> collector::name_silent(std::vector<detail::primary_part> const& parts)
{
    for (auto const& p : parts)
        if (!silent_.empty() && ranges_.empty() && !is_silent(p))
            co_await query_ranges(p.slot);
    std::vector<std::string> names;
    for (auto const slot : silent_) {
        auto const address = address_of(slot, ranges_);
        names.push_back(address.empty() ? "the primary of slot " + std::to_string(slot) : address);
    }
    board_.set_silent(std::move(names), moment::now());
}

asio::awaitable<void> collector::query_ranges(std::uint16_t slot)
{
    error_code ec;
    ranges_ = read_ranges(
        co_await detail::query_command(client_, slot, ranges_command(), asio::redirect_error(asio::use_awaitable, ec)));
}

// Its scan begins anew in the next pass.
void collector::pass_over()
{
    next_ = "0";
    has_seen_all_ = false;
}

void collector::begin_pass_if_due(std::vector<detail::primary_part> const& parts)
{
    std::vector<std::uint16_t> slots;
    for (auto const& part : parts)
        slots.push_back(part.slot);
    if (slots != std::exchange(slots_, slots)) {
        restart();
        silent_.clear();
        ranges_.clear();
    }
    if (!is_between_passes())
        return;
    pass_begun_ = steady_clock::now();
    has_seen_all_ = true;
}

// A cursor belongs to one server.
void collector::restart()
{
    next_ = "0";
    primary_ = 0;
}

asio::awaitable<error_code> collector::look_at(detail::primary_part const& at, bool scans)
{
    if (!scans && at.names.empty())
        co_return error_code();
    detail::survey_page page;
    pace::duration took{};
    detail::survey_step what{.slot = at.slot, .pattern = pattern_, .names = at.names};
    if (!scans) {
        if (auto const ec = co_await query(std::move(what), page, took))
            co_return ec;
        co_await follow_moved(at, page);
        take(page);
        co_return error_code();
    }
    detail::survey_step nothing{.slot = at.slot};
    if (auto const ec = co_await query(std::move(nothing), page, empty_took_))
        co_return ec;
    what.from = next_;
    what.count = keys_of_step;
    keys_ = keys_of_step + static_cast<unsigned>(at.names.size());
    if (auto const ec = co_await query(std::move(what), page, step_took_))
        co_return ec;
    co_await follow_moved(at, page);
    next_ = std::move(page.next);
    take(page);
    co_return error_code();
}

// A lock whose slot has moved is not in the page. A command that names the lock is redirected: so the client learns
// which primary has the slot.
asio::awaitable<void> collector::follow_moved(detail::primary_part const& at, detail::survey_page const& page)
{
    auto const is_left_out = [&](std::string const& name) {
        return std::ranges::find(page.locks, name, &detail::lock_record::name) == page.locks.end();
    };
    auto const moved = std::ranges::find_if(at.names, is_left_out);
    error_code ignored;
    if (moved != at.names.end())
        co_await mutex(client_, *moved).is_locked(asio::redirect_error(asio::use_awaitable, ignored));
}

void collector::take(detail::survey_page& page)
{
    auto const now = moment::now();
    board_.succeed(now);
    for (auto& lock : page.locks)
        board_.observe(std::move(lock), now);
}

void collector::end_primary_if_due()
{
    if (next_ != "0")
        return;
    primary_ = (primary_ + 1) % slots_.size();
    if (is_between_passes() && has_seen_all_)
        board_.end_pass(std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - pass_begun_));
}

std::chrono::nanoseconds collector::pause() const
{
    auto const needed = pace_for(board_.survey().is_complete).pause_after(step_took_, empty_took_, keys_);
    return is_between_passes() ? std::max<std::chrono::nanoseconds>(needed, interval_) : needed;
}

asio::awaitable<error_code> collector::run()
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        auto const ec = co_await step();
        if (has_ended(ec))
            co_return ec;
        if (ec) {
            board_.fail(words_for(ec, client_), moment::now());
            restart();  // it may be another server now
        }
        timer.expires_after(ec ? std::chrono::nanoseconds(pause_after_failure) : pause());
        co_await timer.async_wait(asio::use_awaitable);
    }
}

}  // namespace holdfast::cli::dashboard
