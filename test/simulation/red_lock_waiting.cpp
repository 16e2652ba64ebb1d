//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Contenders of a red_lock that wait: in the queue of their process, and without a majority.

#include <algorithm>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// ---- the queue of one process

TEST_CASE(
    "a queued red_lock contender that times out completes as no_quorum when the servers are silent",
    "[red_lock][wait_outcome]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).pause();
        asio::cancellation_signal stop;
        a.spawn([&]() -> awaitable<void> {
            error_code ec;
            co_await red_lock(all, "r", trusting).acquire(asio::bind_cancellation_slot(stop.slot(), redirect(ec)));
        });
        co_await a.sleep(1ms);
        // While the first round of the head is under way, and after it.
        std::chrono::milliseconds const waits[] = {5ms, 100ms, 1s};
        for (auto const wait : waits) {
            error_code ec;
            auto l = co_await red_lock(all, "r", trusting).try_acquire({.wait = wait}, redirect(ec));
            CHECK(ec == errc::no_quorum);
            CHECK(l.empty());
        }
        stop.emit(asio::cancellation_type::total);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).resume();
        co_await a.sleep(1s);
    });
}

TEST_CASE(
    "a red_lock contender that times out while another holds the lock completes as busy", "[red_lock][wait_outcome]")
{
    nodes a(3, {.world = {.fifo = true}, .network = {.delay = {2ms, 2ms}}});
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        co_await ready(ours);
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        int busy = 0;
        int others = 0;
        for (int i = 0; i < 50; ++i)
            a.spawn([&, wait = std::chrono::milliseconds(12 + i)]() -> awaitable<void> {
                error_code ec;
                auto l = co_await red_lock(ours, "r", trusting).try_acquire({.wait = wait}, redirect(ec));
                ++(ec || l.valid() ? others : busy);
            });
        co_await a.sleep(1s);
        CHECK(busy == 50);
        CHECK(others == 0);
    });
}

TEST_CASE("a red_lock contender whose turn comes in its last millisecond still runs a round", "[red_lock]")
{
    nodes a(3, {.world = {.fifo = true}, .network = {.delay = {100us, 100us}}});
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).pause();
        red_lock const lock(all, "r", {.node_timeout = 400ms, .trust_new_nodes = true});
        asio::cancellation_signal stop;
        a.spawn([&]() -> awaitable<void> {
            error_code ec;
            co_await lock.acquire(asio::bind_cancellation_slot(stop.slot(), redirect(ec)));
        });
        co_await a.sleep(1ms);
        error_code ec;
        lease got;
        a.spawn([&]() -> awaitable<void> { got = co_await lock.try_acquire({.wait = 2ms}, redirect(ec)); });
        co_await a.sleep(1'300us);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).resume();
        stop.emit(asio::cancellation_type::total);
        co_await a.sleep(10ms);
        CHECK_FALSE(ec);
        CHECK(got.valid());
    });
}

// Reentrant locks of one owner for each client.
struct owned {
    explicit owned(std::vector<client const*> const& all)
    {
        for (auto const* c : all)
            members.emplace_back(reentrant_lock(*c, "r", c->make_owner()));
    }
    red_lock lock() const { return red_lock(members, trusting); }

    std::vector<any_lock> members;
};

TEST_CASE("a red_lock re-entry does not queue behind a waiter of another owner", "[red_lock][owner]")
{
    nodes a(3);
    auto const all = a.clients();
    owned const mine(all);
    owned const yours(all);
    a.run([&]() -> awaitable<void> {
        auto outer = co_await mine.lock().acquire();
        lease next;
        a.spawn([&]() -> awaitable<void> { next = co_await yours.lock().acquire(); });
        co_await a.sleep(100ms);
        auto const start = a.now();
        auto inner = co_await mine.lock().try_acquire({.wait = 2s});
        CHECK(a.now() - start < 100ms);
        REQUIRE(inner.valid());
        auto third = co_await mine.lock().acquire();
        CHECK(third.valid());
        CHECK(next.empty());
        co_await third.release();
        co_await inner.release();
        co_await a.sleep(1s);
        CHECK(next.empty());
        co_await outer.release();
        co_await a.sleep(2s);
        CHECK(next.valid());
    });
}

TEST_CASE("an owner that holds only a minority of the servers queues like any other contender", "[red_lock][owner]")
{
    nodes a(3);
    auto const all = a.clients();
    owned const mine(all);
    owned const yours(all);
    a.run([&]() -> awaitable<void> {
        auto one = co_await mine.members[0].acquire();
        auto held = co_await yours.lock().acquire();  // on the other two servers
        CHECK(held.valid());
        std::vector<int> order;
        owned const third(all);
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await third.lock().acquire();
            order.push_back(1);
        });
        co_await a.sleep(10ms);
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mine.lock().acquire();
            order.push_back(2);
        });
        co_await a.sleep(1s);
        CHECK(order.empty());
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(order == std::vector<int>{1, 2});
    });
}

// ---- without a majority

TEST_CASE("the first round of a red_lock succeeds although a minority of the servers is silent", "[red_lock]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        co_await a.sleep(6s);
        a.node(1).pause();
        error_code ec;
        auto l = co_await red_lock(all, "r").try_acquire(redirect(ec));
        CHECK_FALSE(ec);
        CHECK(l.valid());
        a.node(1).resume();
    });
}

TEST_CASE(
    "a waiting red_lock acquire logs the first round without a majority and each change of the cause", "[red_lock]")
{
    nodes a(3);
    auto const all = a.clients();
    auto const lines = [&](char const* what) {
        return std::ranges::count_if(a.log(), [&](auto const& line) { return line.find(what) != line.npos; });
    };
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        a.node(0).pause();
        a.node(1).pause();
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await red_lock(all, "r", trusting).acquire(); });
        co_await a.sleep(100ms);
        CHECK(lines("no majority: server 1: no reply in time; server 2: no reply in time; server 3: granted") == 1);
        CHECK(all[0]->last_failure().message.find("no majority") != std::string::npos);
        co_await a.sleep(300ms);
        CHECK(lines("no majority") == 1);

        // The third server replies with an error.
        a.node(2).model().set_condition(simulated::condition::disk_error);
        co_await a.sleep(20s);
        CHECK(lines("no majority") == 2);
        CHECK(l.empty());
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).resume();
        a.node(2).model().set_condition(simulated::condition::normal);
        co_await a.sleep(10s);
        CHECK(l.valid());
        CHECK(lines("no majority") >= 2);
    });
}

TEST_CASE("a waiting red_lock acquire fails as not_permitted when a majority of the servers denies INFO", "[red_lock]")
{
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        co_await ready(ours);
        co_await a.sleep(6s);
        a.node(0).model().deny_command("info");
        a.node(0).model().disconnect_all();
        co_await a.sleep(1s);
        auto l = co_await red_lock(ours, "r").acquire();  // one server denies INFO, but is not needed
        CHECK(l.valid());
        co_await l.release();
        a.node(1).model().deny_command("info");
        a.node(1).model().disconnect_all();
        co_await a.sleep(1s);

        error_code ec;
        l = co_await red_lock(ours, "r").acquire(redirect(ec));
        CHECK(ec == errc::not_permitted);
        CHECK(ours[0]->last_failure().message.find("does not report its start time") != std::string::npos);
        // Also while another client holds the lock, which does not need the servers' age.
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        l = co_await red_lock(ours, "r").acquire(redirect(ec));
        CHECK(ec == errc::not_permitted);
        co_await held.release();
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

}  // namespace
}  // namespace holdfast::test
