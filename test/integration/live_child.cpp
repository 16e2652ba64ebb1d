//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A process beside the test. It writes one line to standard output for each event. AT is the steady clock in
// nanoseconds, which is the same for all processes of a host.
//
//     live_child watch URL NAME LEASE_MS      holds NAME; "tick AT" while valid, then "lost REASON", then "end"
//     live_child guard URL NAME LEASE_MS      "ready", on SIGUSR1 "acquiring", in with_lock "body AT VALID", then "end"
//     live_child hold URL NAME                "held" until SIGUSR1, then "released"
//     live_child contend URL NAME TASKS MS    "ready"; from SIGUSR1 on TASKS tasks contend for MS; then "grants N"
//     live_child line URL NAME CROWD          "id UUID", "ready"; on SIGUSR1 CROWD waiters queue up; on the next one
//                                             every eighth gives up; "served FENCE NUMBER" or "gave_up NUMBER" for each

#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <string_view>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/signal_set.hpp>

#include "support/live.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::int64_t now()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

template <class... Words>
void report(Words const&... words)
{
    (std::cout << ... << words) << std::endl;
}

awaitable<void> report_loss(lease const& l)
{
    auto const why = co_await l.lost(use_awaitable);
    report("lost ", static_cast<int>(why));
}

awaitable<void> watch(client& c, std::string name)
{
    auto held = co_await mutex(c, name).acquire();
    asio::co_spawn(co_await asio::this_coro::executor, report_loss(held), asio::detached);
    while (true) {
        auto const at = now();
        if (!held.valid())
            break;
        report("tick ", at);
        co_await sleep_for(1ms);
    }
    report("invalid ", static_cast<int>(held.state()));
    co_await sleep_for(100ms);
}

awaitable<void> guard(client& c, std::string name, asio::signal_set& signals)
{
    co_await c.ready();
    report("ready");
    co_await signals.async_wait(use_awaitable);
    report("acquiring");
    co_await with_lock(mutex(c, name), [](lease& held) -> awaitable<void> {
        report("body ", now(), " ", held.valid());
        co_return;
    });
}

awaitable<void> hold(client& c, std::string name, asio::signal_set& signals)
{
    auto held = co_await mutex(c, name).acquire();
    report("held");
    co_await signals.async_wait(use_awaitable);
    co_await held.release();
    report("released");
}

struct contest {
    mutex seat;
    long grants = 0;
    std::chrono::steady_clock::time_point end = {};
};

awaitable<void> contend_once(contest& of)
{
    while (std::chrono::steady_clock::now() < of.end) {
        auto held = co_await of.seat.acquire();
        if (std::chrono::steady_clock::now() < of.end)
            ++of.grants;
        co_await sleep_for(1ms);  // so that the share of CPU time does not decide
        co_await held.release();
    }
}

awaitable<void> contend(client& c, std::string name, int tasks, int ms, asio::signal_set& signals)
{
    co_await c.ready();
    report("ready");
    co_await signals.async_wait(use_awaitable);
    contest all{mutex(c, name)};
    all.end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    int running = tasks;
    for (int i = 0; i < tasks; ++i)
        asio::co_spawn(co_await asio::this_coro::executor, contend_once(all), [&](std::exception_ptr) { --running; });
    auto const done = [&] { return running == 0; };
    co_await comes_true(done);
    report("grants ", all.grants);
}

awaitable<void> wait_in_line(fair_lock lock, int n, asio::cancellation_signal& signal, int& waiting)
{
    error_code ec;
    auto held = co_await lock.acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
    if (ec)
        report("gave_up ", n);
    else {
        report("served ", held.fencing_token().value(), " ", n);
        co_await held.release();
    }
    --waiting;
}

// At the first signal `crowd` waiters queue up; at the second one every eighth of them gives up.
awaitable<void> stand_in_line(client& c, std::string name, int crowd, asio::signal_set& signals)
{
    co_await c.ready();
    report("id ", c.id());
    report("ready");
    co_await signals.async_wait(use_awaitable);
    fair_lock const lock(c, name, {.fencing = true, .waiter_timeout = 3s});
    std::deque<asio::cancellation_signal> each(static_cast<std::size_t>(crowd));
    int waiting = crowd;
    for (int i = 0; i < crowd; ++i)
        asio::co_spawn(
            co_await asio::this_coro::executor,
            wait_in_line(lock, i, each[static_cast<std::size_t>(i)], waiting),
            asio::detached);
    co_await signals.async_wait(use_awaitable);
    for (std::size_t i = 3; i < each.size(); i += 8)
        each[i].emit(asio::cancellation_type::terminal);
    auto const is_over = [&] { return waiting == 0; };
    co_await comes_true(is_over, 1h);
}

}  // namespace

int main(int count, char** words)
{
    if (count < 4)
        return 64;
    std::string const verb = words[1], name = words[3];
    auto const number = [&](int i) { return i < count ? std::atoi(words[i]) : 0; };

    live l;
    auto options = live::quick(words[2]);
    if (verb == "watch" || verb == "guard")
        options.lease = std::chrono::milliseconds(number(4));
    auto& c = l.client(options);
    asio::signal_set signals(l.context(), SIGUSR1);

    if (verb == "watch")
        l.run(watch(c, name), 1h);
    else if (verb == "guard")
        l.run(guard(c, name, signals), 1h);
    else if (verb == "hold")
        l.run(hold(c, name, signals), 1h);
    else if (verb == "contend")
        l.run(contend(c, name, number(4), number(5), signals), 1h);
    else if (verb == "line")
        l.run(stand_in_line(c, name, number(4), signals), 1h);
    report("end");
    return 0;
}
