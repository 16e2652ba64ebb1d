//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/run_command.hpp"

#include <deque>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/election.hpp>
#include <holdfast/fair_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/read_write_lock.hpp>
#include <holdfast/red_lock.hpp>
#include <holdfast/reentrant_lock.hpp>
#include <holdfast/semaphore.hpp>

#include "tool/child_process.hpp"
#include "tool/connection.hpp"
#include "tool/descriptors.hpp"
#include "tool/duration.hpp"
#include "tool/exit_status.hpp"
#include "tool/report_error.hpp"
#include "tool/signal_source.hpp"
#include "tool/supervision.hpp"

namespace holdfast::cli {
namespace {

using namespace asio::experimental::awaitable_operators;

// What the command runs under: the lease of a lock, or the leadership of an election.
struct holding {
    lease of_lock;
    leadership of_election;

    lease const& held() const noexcept { return of_election.empty() ? of_lock : of_election.held(); }

    asio::awaitable<error_code> release()
    {
        error_code ec;
        auto const token = asio::redirect_error(asio::use_awaitable, ec);
        if (of_election.empty())
            co_await of_lock.release(token);
        else
            co_await of_election.resign(token);
        co_return ec;
    }
};

any_lock make_lock(client& c, run_arguments const& args)
{
    lock_options const options{.fencing = args.fencing};
    switch (args.kind) {
        case lock_kind::mutex: break;
        case lock_kind::reentrant: return reentrant_lock(c, args.name, c.make_owner(), options);
        case lock_kind::fair: return fair_lock(c, args.name, {.fencing = args.fencing});
        case lock_kind::read: return read_write_lock(c, args.name).read();
        case lock_kind::write: return read_write_lock(c, args.name, {.fencing = args.fencing}).write();
    }
    return mutex(c, args.name, options);
}

// A red_lock of mutexes may have a fencing token, which costs a second round. Reentrant members cannot have one: no
// script raises their counters.
red_lock make_red_lock(std::deque<client>& all, run_arguments const& args)
{
    if (args.kind == lock_kind::reentrant) {
        std::vector<any_lock> members;
        for (auto& c : all)
            members.emplace_back(reentrant_lock(c, args.name, c.make_owner()));
        return red_lock(members);
    }
    std::vector<client const*> clients;
    for (auto const& c : all)
        clients.push_back(&c);
    return red_lock(clients, args.name, {.fencing = args.fencing});
}

any_lock make_lock(std::deque<client>& all, run_arguments const& args)
{
    return all.size() == 1 ? make_lock(all.front(), args) : any_lock(make_red_lock(all, args));
}

asio::awaitable<int> connect_to(std::deque<client>& all, std::chrono::milliseconds limit)
{
    return all.size() == 1 ? connect(all.front(), limit) : connect(all, limit);
}

// Only the handle of a fair lock has options with a priority.
asio::awaitable<error_code> take_with_priority(fair_lock lock, run_arguments const& args, lease& held)
{
    error_code ec;
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    if (args.wait)
        held = co_await lock.try_acquire(
            {.wait = args.wait, .at_least = args.at_least, .priority = *args.priority}, token);
    else
        held = co_await lock.acquire({.at_least = args.at_least, .priority = *args.priority}, token);
    co_return ec;
}

// Without options for the lease: it has the lease time of the client's configuration, and is renewed.
asio::awaitable<error_code> take(any_lock const& lock, run_arguments const& args, lease& held)
{
    error_code ec;
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    if (args.wait)
        held = co_await lock.try_acquire({.wait = args.wait, .at_least = args.at_least}, token);
    else
        held = co_await lock.acquire({.at_least = args.at_least}, token);
    co_return ec;
}

// Only the handle of a semaphore has options with a weight.
asio::awaitable<error_code> take_permits(client const& c, run_arguments const& args, lease& held)
{
    auto const& s = args.semaphore;
    semaphore const permits(
        c,
        args.name,
        {.permits = *s.permits, .fair = s.fair, .numbered = s.numbered, .with_redisson = s.with_redisson});
    error_code ec;
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    if (args.wait)
        held = co_await permits.try_acquire({.wait = args.wait, .at_least = args.at_least, .weight = s.weight}, token);
    else
        held = co_await permits.acquire({.at_least = args.at_least, .weight = s.weight}, token);
    co_return ec;
}

asio::awaitable<error_code> stand(client const& c, run_arguments const& args, leadership& me)
{
    error_code ec;
    me = co_await election(c, args.name)
             .campaign(
                 *args.value,
                 {.wait = args.wait, .priority = args.priority.value_or(5)},
                 asio::redirect_error(asio::use_awaitable, ec));
    co_return ec;
}

asio::awaitable<error_code> take(std::deque<client>& clients, run_arguments const& args, holding& h)
{
    auto const& first = clients.front();
    if (args.value)
        co_return co_await stand(first, args, h.of_election);
    if (args.semaphore.permits)
        co_return co_await take_permits(first, args, h.of_lock);
    if (args.priority) {
        fair_lock const lock(first, args.name, {.fencing = args.fencing});
        co_return co_await take_with_priority(lock, args, h.of_lock);
    }
    auto const lock = make_lock(clients, args);
    co_return co_await take(lock, args, h.of_lock);
}

std::string busy_text(run_arguments const& args)
{
    auto const waited = args.wait->count() > 0;
    auto const what = "'" + args.name + "' "
                      + (args.value               ? "is led by another client"
                         : args.semaphore.permits ? "has too few free permits"
                                                  : "is held by another client");
    return waited ? what + ", and was not acquired within " + to_text(*args.wait) : what;
}

asio::awaitable<int> signal_that_ends_the_wait(signal_source& signals)
{
    for (;;)
        if (auto const s = co_await signals.next(); ends_the_wait(s.number))
            co_return s.number;
}

// Acquires the lock. Returns the exit status of the tool unless that is ok; then, without a lease, it was not acquired in
// time.
asio::awaitable<int> prepare(std::deque<client>& clients, run_arguments const& args, holding& h)
{
    // A signal cancels this coroutine. It must not throw then: the lock may have been granted at the same time, and
    // `h` must receive the lease, which releases it.
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const ec = co_await take(clients, args, h);
    if (ec && co_await is_cancelled())
        co_return unavailable;
    if (ec)
        co_return report_failure(ec, clients.front());
    if (h.held().empty() && !args.quiet)
        report_error(busy_text(args));
    co_return ok;
}

std::vector<std::string> variables(lease const& held)
{
    std::vector<std::string> result{"HOLDFAST_LOCK_NAME=" + std::string(held.name())};
    if (auto const token = held.fencing_token())
        result.push_back("HOLDFAST_FENCING_TOKEN=" + std::to_string(*token));
    if (auto const number = held.number())
        result.push_back("HOLDFAST_PERMIT_NUMBER=" + std::to_string(*number));
    return result;
}

// Both may have a password. The command inherits neither, unless it is to use the server itself.
std::vector<std::string> secrets(run_arguments const& args)
{
    std::vector<std::string> names{"HOLDFAST_DASHBOARD_TOKEN"};
    if (!args.pass_url)
        names.emplace_back("HOLDFAST_URL");
    return names;
}

// Returns whether the lease was lost. A release that was not confirmed is only a warning: the command ran under the lock.
asio::awaitable<bool> give_back(holding& h)
{
    bool const was_valid = h.held().valid();
    auto const ec = co_await h.release();
    if (!was_valid || ec == errc::lease_lost) {
        report_error("the lease was lost before the command ended: another client may have held the lock meanwhile");
        co_return true;
    }
    if (ec)
        report_error(
            "the release was not confirmed (" + ec.message()
            + "); the lock is free at the latest when its lease time ends");
    co_return false;
}

struct job {
    run_arguments const& args;
    signal_source& signals;
    std::vector<int> const& inherited;

    asio::awaitable<int> operator()(std::deque<client>& clients) const
    {
        if (int const status = co_await until_signal(connect_to(clients, args.wait.value_or(longest_connect)));
            status != ok)
            co_return status;
        // Whoever reads the status must see the loss: --busy-exit is for a command that has not run.
        int busy_exit = args.busy_exit;
        for (;;) {
            if (auto const status = co_await run_once(clients, busy_exit); status || !args.again)
                co_return status.value_or(lock_lost);
            busy_exit = lock_lost;
        }
    }

    // The result of the coroutine, or the exit status for the signal that came before.
    asio::awaitable<int> until_signal(asio::awaitable<int> what) const
    {
        auto const first = co_await (std::move(what) || signal_that_ends_the_wait(signals));
        co_return first.index() == 0 ? std::get<0>(first) : by_signal + std::get<1>(first);
    }

    // The exit status; none: the lease was lost, and the command stopped.
    asio::awaitable<std::optional<int>> run_once(std::deque<client>& clients, int busy_exit) const
    {
        holding h;
        if (int const status = co_await until_signal(prepare(clients, args, h)); status != ok)
            co_return status;
        if (h.held().empty())
            co_return busy_exit;
        co_return co_await run_under(h);
    }

    asio::awaitable<std::optional<int>> run_under(holding& h) const
    {
        std::optional<child_process> child;
        if (int const status = start(child, h.held(), co_await asio::this_coro::executor); status != ok) {
            co_await give_back(h);
            co_return status;
        }
        auto const end = co_await supervise(*child, h.held(), signals, args);
        if (end == command_end::stopped)
            co_return std::nullopt;
        child->leave();
        // Of command_end::without_lock supervise() has printed a report.
        bool const is_lost = end == command_end::without_lock || co_await give_back(h);
        // A caller takes 0 for work that the lock has protected.
        co_return is_lost && child->exit_status() == ok ? lock_lost : child->exit_status();
    }

    int start(std::optional<child_process>& child, lease const& held, asio::any_io_executor const& executor) const
    {
        // After the connections were opened, and before the fork.
        close_on_exec_except(inherited);
        // A tool that is killed, or stopped, cannot renew any more: its command must not go on without the lock.
        bool const dies_with_us = args.on_loss != loss_action::ignore;
        auto const ends_in = dies_with_us ? std::optional(time_left(held)) : std::nullopt;
        auto const kill_after = args.on_loss == loss_action::term ? args.kill_after : std::chrono::milliseconds(0);
        try {
            child.emplace(
                executor,
                child_options{
                    args.command,
                    variables(held),
                    secrets(args),
                    signals.original_mask(),
                    dies_with_us,
                    ends_in,
                    kill_after});
            return ok;
        } catch (std::system_error const& e) {
            report_error(args.command.front() + ": " + e.code().message());
            return e.code() == std::errc::no_such_file_or_directory ? not_found : not_executable;
        }
    }
};

// Prints the loss of a connection, its return, and overdue renewals to standard error. Attempts to open the first
// connection are not reported here: connect() prints their error.
class narrator final : public observer {
public:
    // `whose`: the beginning of each line, which names the server if there are several.
    explicit narrator(std::string prefix) : prefix_(std::move(prefix)) {}

private:
    void on_connected() noexcept override
    {
        if (std::exchange(state_, connected) == lost)
            report_error(prefix_ + "connected again");
    }
    void on_disconnected(error_code ec, std::string_view words) noexcept override
    {
        if (state_ != connected)
            return;
        state_ = lost;
        report_error(prefix_ + "the connection was lost: " + (words.empty() ? ec.message() : std::string(words)));
    }
    void on_at_risk(lock_event const& e) noexcept override
    {
        report_error(prefix_ + "a renewal of '" + std::string(e.name) + "' is overdue");
    }

    std::string const prefix_;
    enum { never, connected, lost } state_ = never;
};

std::vector<config> make_run_configs(std::vector<server_address> const& servers, run_arguments const& args)
{
    std::vector<config> all;
    for (auto const& server : servers) {
        auto const number = std::to_string(all.size() + 1);
        auto& c = all.emplace_back(make_config(server));
        c.lease = args.lease;
        if (!args.quiet)
            c.observer = std::make_shared<narrator>(servers.size() > 1 ? "server " + number + ": " : "");
    }
    return all;
}

}  // namespace

int run_command(
    std::vector<server_address> const& servers, run_arguments const& args, std::vector<int> const& inherited)
{
    asio::io_context context(1);
    signal_source signals(context.get_executor());
    job const work{args, signals, inherited};
    return run_with_clients(
        context, make_run_configs(servers, args), [&](std::deque<client>& clients) { return work(clients); });
}

}  // namespace holdfast::cli
