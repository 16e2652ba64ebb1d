//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/supervision.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tool/duration.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

// May be cancelled and called again: child.poll() shows whether the command has ended, not the SIGCHLD that was
// received.
asio::awaitable<void> wait_for_end(child_process& child, signal_source& signals)
{
    while (!child.poll()) {
        auto const s = co_await signals.next();
        // The command has received the signals of the terminal already.
        if (s.number != SIGCHLD && !s.from_terminal)
            child.send(s.number);
    }
}

// Processes that the command started may outlive it. They are not children of the tool, so no SIGCHLD reports their
// end: the tool polls.
asio::awaitable<void> wait_for_survivors(child_process const& child)
{
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (child.has_survivors()) {
        pause.expires_after(20ms);
        co_await pause.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> wait_for_all(child_process& child, signal_source& signals)
{
    co_await wait_for_end(child, signals);
    co_await wait_for_survivors(child);
}

// Another contender may hold the lock already: the command must end, and with it every process that it has started and
// that can be reached. With loss_action::kill there is no SIGTERM and no time to end.
asio::awaitable<void> stop(child_process& child, signal_source& signals, run_arguments const& args)
{
    if (args.on_loss == loss_action::term) {
        child.send(SIGTERM);
        child.send(SIGCONT);  // a command that is stopped would not receive SIGTERM
        asio::steady_timer grace(co_await asio::this_coro::executor, args.kill_after);
        co_await (wait_for_all(child, signals) || grace.async_wait(asio::use_awaitable));
    }
    if (!child.poll() || child.has_survivors())
        child.send(SIGKILL);
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

asio::awaitable<command_end> supervise(
    child_process& child, lease const& held, signal_source& signals, run_arguments const& args)
{
    auto const first = co_await (wait_for_end(child, signals) || held.lost(asio::use_awaitable));
    // Polled again: a command that has ended by itself counts as such, also if the lease was lost at the same time.
    if (child.poll())
        co_return command_end::by_itself;

    report_error(std::string("the lease of '")
                     .append(held.name())
                     .append("' was lost: ")
                     .append(describe(std::get<1>(first)))
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
