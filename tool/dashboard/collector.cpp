//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/collector.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace

asio::awaitable<error_code> collector::query(detail::survey_step what, detail::survey_page& to, pace::duration& took)
{
    error_code ec;
    auto const begun = steady_clock::now();
    to = co_await detail::query_survey(client_, std::move(what), asio::redirect_error(asio::use_awaitable, ec));
    took = steady_clock::now() - begun;
    co_return ec;
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
    for (std::size_t i = 0; i < parts.size() && !ec; ++i)
        ec = co_await look_at(parts[i], i == primary_);
    if (!ec)
        end_primary_if_due();
    co_return ec;
}

void collector::begin_pass_if_due(std::vector<detail::primary_part> const& parts)
{
    std::vector<std::uint16_t> slots;
    for (auto const& part : parts)
        slots.push_back(part.slot);
    if (slots != std::exchange(slots_, slots))
        restart();
    if (is_between_passes())
        pass_begun_ = steady_clock::now();
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

// A lock whose slot has moved is not in the page. A command that names the lock is redirected: so the client learns which
// primary has the slot.
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
    if (is_between_passes())
        board_.end_pass(std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - pass_begun_));
}

std::chrono::nanoseconds collector::pause() const
{
    auto const needed = pace_.pause_after(step_took_, empty_took_, keys_);
    return is_between_passes() ? std::max<std::chrono::nanoseconds>(needed, interval_) : needed;
}

asio::awaitable<error_code> collector::run()
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        auto const ec = co_await step();
        if (ec == errc::not_running || ec == errc::client_stopped)
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
