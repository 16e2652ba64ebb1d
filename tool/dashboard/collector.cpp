//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/collector.hpp"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

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

asio::awaitable<error_code> collector::step()
{
    detail::survey_page page;
    detail::survey_step nothing;
    if (auto const ec = co_await query(std::move(nothing), page, empty_took_))
        co_return ec;
    auto const begun = steady_clock::now();
    if (next_ == "0")
        pass_begun_ = begun;
    detail::survey_step what{
        .from = next_,
        .pattern = pattern_,
        .count = keys_of_step,
        .names = board_.table().stalest(names_of_step, begun - interval_)};
    keys_ = keys_of_step + static_cast<unsigned>(what.names.size());
    if (auto const ec = co_await query(std::move(what), page, step_took_))
        co_return ec;
    take(std::move(page), begun);
    co_return error_code();
}

void collector::take(detail::survey_page page, instant begun)
{
    auto const now = moment::now();
    board_.succeed(now);
    for (auto& lock : page.locks)
        board_.observe(std::move(lock), now);
    next_ = std::move(page.next);
    if (next_ == "0")
        board_.end_pass(std::chrono::duration_cast<std::chrono::milliseconds>(now.at - std::min(begun, pass_begun_)));
}

std::chrono::nanoseconds collector::pause() const
{
    auto const needed = pace_.pause_after(step_took_, empty_took_, keys_);
    return next_ == "0" ? std::max<std::chrono::nanoseconds>(needed, interval_) : needed;
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
            next_ = "0";  // a cursor belongs to one server, and this may be another one now
        }
        timer.expires_after(ec ? std::chrono::nanoseconds(pause_after_failure) : pause());
        co_await timer.async_wait(asio::use_awaitable);
    }
}

}  // namespace holdfast::cli::dashboard
