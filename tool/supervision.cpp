//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/supervision.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tool/duration.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr auto longest_end = 5s;  // of processes that were killed; those that wait for a disk end later

// The command has received the signals of the terminal already.
asio::awaitable<void> pass_on(child_process& child, signal_source& signals)
{
    for (;;)
        if (auto const s = co_await signals.next(); !s.from_terminal)
            child.send(s.number);
}

// Both may be cancelled and called again.
asio::awaitable<void> wait_for_end(child_process& child, signal_source& signals)
{
    co_await (child.end() || pass_on(child, signals));
}

asio::awaitable<void> wait_for_all(child_process& child, signal_source& signals)
{
    co_await (child.end_of_all() || pass_on(child, signals));
}

asio::awaitable<void> wait_for_all(
    child_process& child, signal_source& signals, std::chrono::steady_clock::duration limit)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    co_await (wait_for_all(child, signals) || timer.async_wait(asio::use_awaitable));
}

// A process that is stopped cannot end its job: the guardian has to know when. Ends only by cancellation.
asio::awaitable<void> announce_end(child_process& child, lease const& held)
{
    constexpr std::chrono::milliseconds shortest_pause = 50ms, longest_pause = 1h;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        auto const left = time_left(held);
        child.expect_end(left);
        timer.expires_after(std::clamp(left / 2, shortest_pause, longest_pause));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<loss> wait_for_loss(child_process& child, lease const& held, loss_action action)
{
    if (action == loss_action::ignore)
        co_return co_await held.lost(asio::use_awaitable);
    auto const first = co_await (held.lost(asio::use_awaitable) || announce_end(child, held));
    child.watch_no_end();
    co_return std::get<0>(first);
}

// Another contender may hold the lock already: the command must end, and with it every process that it has started. With
// loss_action::kill there is no SIGTERM and no time to end.
asio::awaitable<void> stop(child_process& child, signal_source& signals, run_arguments const& args)
{
    if (args.on_loss == loss_action::term) {
        child.send(SIGTERM);
        child.send(SIGCONT);  // a command that is stopped would not receive SIGTERM
        co_await wait_for_all(child, signals, args.kill_after);
    }
    child.end_job();
    co_await wait_for_all(child, signals, longest_end);
    if (child.has_survivors())
        report_error("processes of the command have not ended yet, although they were killed");
    co_await wait_for_end(child, signals);
}

std::string_view describe(loss reason) noexcept
{
    switch (reason) {
        case loss::expired: return "it could not be renewed in time";
        case loss::key_missing: return "its key is missing, or has the token of another holder";
        case loss::max_hold: return "it was held for too long";
        default: return "the client was stopped";
    }
}

std::string_view describe(loss_action action) noexcept
{
    switch (action) {
        case loss_action::term: return "the command is terminated";
        case loss_action::kill: return "the command is killed";
        default: return "the command continues without the lock";
    }
}

}  // namespace

std::chrono::milliseconds time_left(lease const& held) noexcept
{
    using std::chrono::milliseconds;
    auto const left = std::chrono::ceil<milliseconds>(held.valid_until() - std::chrono::steady_clock::now());
    return std::max(left, milliseconds(0));
}

asio::awaitable<command_end> supervise(
    child_process& child, lease const& held, signal_source& signals, run_arguments const& args)
{
    auto const first = co_await (wait_for_end(child, signals) || wait_for_loss(child, held, args.on_loss));
    // Polled again: a command that has ended by itself counts as such, also if the lease was lost at the same time.
    // One that the guardian has ended does not: this process was stopped until the lease had ended.
    bool const has_expired = child.has_expired();
    if (child.poll() && !has_expired)
        co_return command_end::by_itself;

    auto const reason = first.index() == 1 ? std::get<1>(first) : loss::expired;
    report_error(std::string("the lease of '")
                     .append(held.name())
                     .append("' was lost: ")
                     .append(describe(reason))
                     .append("; ")
                     .append(describe(args.on_loss)));
    if (args.on_loss != loss_action::ignore) {
        co_await stop(child, signals, args);
        co_return command_end::stopped;
    }
    co_await wait_for_end(child, signals);
    co_return command_end::without_lock;
}

}  // namespace holdfast::cli
