//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The semaphore with the whole client: weights, renewal, loss, release, waiters, the number of permits.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::string free_permits(arena& a)
{
    return std::string(a.server().execute({"GET", "s"}).text);
}

std::int64_t held_permits(arena& a)
{
    return a.server().execute({"ZCARD", "{s}:timeout"}).integer;
}

// Not within CHECK, where GCC awaits an operation twice.
void refused(error_code ec)
{
    CHECK(ec == errc::invalid_option);
}

TEST_CASE("a semaphore grants as many permits as it has, over all processes", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 3});
    semaphore t(a.client("B"), "s", {.permits = 3});
    a.run([&]() -> awaitable<void> {
        auto one = co_await s.acquire();
        auto two = co_await t.acquire({.weight = 2});
        CHECK(one.valid());
        CHECK(two.valid());
        CHECK(held_permits(a) == 3);
        auto const none = co_await s.try_acquire();
        CHECK(none.empty());
        bool const is_locked = co_await s.is_locked();
        CHECK(is_locked);
        co_await two.release();
        CHECK(free_permits(a) == "2");
        auto three = co_await s.try_acquire({.weight = 2});
        CHECK(three.valid());
    });
}

TEST_CASE("a waiter of a semaphore is woken by a release of another process", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 2});
    semaphore t(a.client("B"), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire({.weight = 2});
        bool granted = false;
        a.spawn(
            [&]() -> awaitable<void> {
                auto const l = co_await t.acquire();
                granted = true;
                co_await a.sleep(1ms);
            },
            "B");
        co_await a.sleep(100ms);
        CHECK_FALSE(granted);
        co_await held.release();
        co_await a.sleep(20ms);
        CHECK(granted);
        co_await a.sleep(20ms);
        CHECK(free_permits(a) == "2");
    });
}

// The waiters of B and C for one permit each, while A holds all.
struct waiting_processes {
    arena a;
    std::vector<std::string> granted;  // in order
    std::vector<lease> leases;
    asio::cancellation_signal stop;  // of the waiter of B

    void wait(std::string where, semaphore_options const& o, config const& c = {})
    {
        semaphore const s(a.client(where, c), "s", o);
        auto const slot = where == "B" ? stop.slot() : asio::cancellation_slot();
        s.acquire(asio::bind_cancellation_slot(slot, [this, where](error_code ec, lease l) {
            if (!ec)
                granted.push_back(where), leases.push_back(std::move(l));
        }));
    }
    std::int64_t waiting() { return a.server().execute({"ZCARD", "holdfast_permit_waiting:{s}"}).integer; }
};

TEST_CASE("a release wakes one process, and that of a waiter that has left the next", "[semaphore]")
{
    waiting_processes w;
    auto& a = w.a;
    semaphore s(a.client("A"), "s", {.permits = 1});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire();
        for (std::string const where : {"B", "C"}) {
            w.wait(where, {});
            co_await a.sleep(50ms);
        }
        CHECK(w.waiting() == 2);
        // As if the message to B and its cancellation crossed.
        a.at("B").pause();
        co_await held.release();
        co_await a.sleep(20ms);
        CHECK(w.waiting() == 1);
        CHECK(free_permits(a) == "1");
        a.at("B").resume();
        w.stop.emit(asio::cancellation_type::terminal);
        co_await a.sleep(20ms);
        CHECK(w.granted == std::vector<std::string>{"C"});
        CHECK(w.waiting() == 0);
    });
}

TEST_CASE("a waiter that leaves keeps nothing on the server", "[semaphore]")
{
    waiting_processes w;
    semaphore s(w.a.client("A"), "s", {.permits = 1});
    w.a.run([&]() -> awaitable<void> {
        auto const held = co_await s.acquire();
        w.wait("B", {});
        co_await w.a.sleep(50ms);
        CHECK(w.waiting() == 1);
        w.stop.emit(asio::cancellation_type::terminal);
        co_await w.a.sleep(50ms);
        CHECK(w.waiting() == 0);
    });
}

// Seven contenders of B for five permits: attempts serve one, two and four of them. A sixth permit is released after
// `offset`, at best between the attempt that is granted in part and the next one: then that serves the last two.
void leave_behind_granted(core::duration offset)
{
    waiting_processes w;
    auto& a = w.a;
    semaphore const s(a.client("A"), "s", {.permits = 7}), t(a.client("B"), "s", {.permits = 7});
    a.run([&]() -> awaitable<void> {
        auto const one = co_await s.acquire();
        auto other = co_await s.acquire();
        for (int i = 0; i < 7; ++i)
            t.acquire(asio::bind_cancellation_slot(
                i == 6 ? w.stop.slot() : asio::cancellation_slot(),
                [&w](error_code, lease l) { w.leases.push_back(std::move(l)); }));
        co_await a.sleep(offset);
        co_await other.release();
        co_await a.sleep(100ms);
        CHECK(w.leases.size() == 6);
        CHECK(w.waiting() == 1);
        w.stop.emit(asio::cancellation_type::terminal);
        co_await a.sleep(50ms);
        CHECK(w.waiting() == 0);
    });
}

TEST_CASE("a waiter behind those that were granted permits keeps nothing on the server, either", "[semaphore]")
{
    for (auto offset = 0us; offset < 4ms; offset += 20us)
        leave_behind_granted(offset);
}

TEST_CASE("a message to a process that has died reaches the next one that waits", "[semaphore]")
{
    waiting_processes w;
    auto& a = w.a;
    semaphore s(a.client("A"), "s", {.permits = 1});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire();
        for (std::string const where : {"B", "C"}) {
            w.wait(where, {}, {.poll_interval = 1s});
            co_await a.sleep(50ms);
        }
        SECTION("before the release")
        {
            a.at("B").kill();
            co_await a.sleep(50ms);
            co_await held.release();
            co_await a.sleep(20ms);
        }
        SECTION("with the message")
        {
            a.at("B").pause();
            co_await held.release();
            co_await a.sleep(20ms);
            a.at("B").kill();
            co_await a.sleep(2s);  // C looks again after its poll interval
        }
        CHECK(w.granted == std::vector<std::string>{"C"});
    });
}

TEST_CASE("only a handle with_redisson receives the messages of other libraries", "[semaphore]")
{
    waiting_processes w;
    auto& a = w.a;
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "s", "0"});
        a.server().execute({"ZADD", "{s}:timeout", "900000000000000", "0123456789abcdef"});
        w.wait("B", {.with_redisson = true}, {.poll_interval = 30s});
        w.wait("C", {}, {.poll_interval = 30s});
        co_await a.sleep(100ms);
        CHECK(w.waiting() == 1);
        a.server().execute({"ZREM", "{s}:timeout", "0123456789abcdef"});
        a.server().execute({"SET", "s", "2"});
        a.server().execute({"PUBLISH", "redisson_sc:{s}", "2"});
        co_await a.sleep(20ms);
        CHECK(w.granted == std::vector<std::string>{"B"});
        co_await a.sleep(31s);
        CHECK(w.granted.size() == 2);
    });
}

// With one of the waits it ends while the first attempt of its contender is under way, behind that of the other one.
TEST_CASE("a wait does not end with the error of another contender", "[semaphore]")
{
    for (auto wait = 1ms; wait != 15ms; ++wait) {
        arena a({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}});
        semaphore s(a.client(), "s", {.permits = 4});
        error_code too_many, too_short;
        a.run([&]() -> awaitable<void> {
            s.try_acquire({.weight = 5}, [&](error_code ec, lease) { too_many = ec; });
            s.try_acquire({.wait = wait}, [&](error_code ec, lease) { too_short = ec; });
            co_await a.sleep(1s);
        });
        CAPTURE(wait.count());
        CHECK((!too_many || too_many == errc::invalid_option));
        CHECK((!too_short || too_short == errc::unavailable));
    }
}

TEST_CASE("the leases of a semaphore are renewed, each with all of its permits", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 4});
    semaphore other(a.client(), "t", {.permits = 4});
    a.run([&]() -> awaitable<void> {
        auto one = co_await s.acquire();
        auto three = co_await s.acquire({.weight = 3});
        auto elsewhere = co_await other.acquire({.weight = 2});
        co_await a.sleep(20s);
        CHECK(one.valid());
        CHECK(three.valid());
        CHECK(elsewhere.valid());
        auto const all = co_await s.holders();
        REQUIRE(all.size() == 2);
        CHECK(all[0].weight + all[1].weight == 4);
        auto const count = co_await s.permits();
        CHECK(count.total == 4);
        CHECK(count.held == 4);
        CHECK(count.free == 0);
        co_await three.extend(10s);
        CHECK(validity(three) > a.now() + 9s);
    });
}

TEST_CASE("a lease whose permits were taken away is lost", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire({.weight = 2});
        bool const was_held = co_await s.force_release();
        CHECK(was_held);
        CHECK(free_permits(a) == "2");
        co_await held.lost(use_awaitable);
        CHECK_FALSE(held.valid());
        held = {};
        co_await a.sleep(100ms);
        CHECK(free_permits(a) == "2");
    });
}

TEST_CASE("the permits of a process that died are granted again", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 1});
    semaphore t(a.client("B"), "s", {.permits = 1});
    a.run(
        [&]() -> awaitable<void> {
            auto held = co_await s.acquire();
            a.at("A").kill();
            auto const next = co_await t.try_acquire({.wait = 5s});
            CHECK(next.valid());
        },
        "B");
}

TEST_CASE("a waiter for many permits is not overtaken by its process", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 3});
    a.run([&]() -> awaitable<void> {
        auto one = co_await s.acquire();
        std::vector<int> order;
        for (unsigned const weight : {3U, 1U, 2U}) {
            a.spawn([&, weight]() -> awaitable<void> {
                auto l = co_await s.acquire({.weight = weight});
                order.push_back(static_cast<int>(weight));
                co_await a.sleep(50ms);
                co_await l.release();
            });
            co_await a.sleep(5ms);
        }
        CHECK(order.empty());
        co_await one.release();
        co_await a.sleep(500ms);
        CHECK(order == std::vector{3, 1, 2});
        CHECK(free_permits(a) == "3");
    });
}

// Three of four permits are free. A contender of the process "A" wants all of them, others behind it one.
struct wide_and_narrow {
    arena a;
    client& here = a.client("A");
    semaphore s{here, "s", {.permits = 4}};
    std::vector<std::string> seen;

    awaitable<void> wait(unsigned weight, std::optional<std::chrono::milliseconds> limit, std::string name)
    {
        lease l;
        error_code ec;
        auto const token = asio::redirect_error(use_awaitable, ec);
        if (limit)
            l = co_await s.try_acquire({.wait = limit, .weight = weight}, token);
        else
            l = co_await s.acquire({.weight = weight}, token);
        seen.push_back(name + (l.valid() ? " has it" : ec ? " " + ec.message() : " is busy"));
        co_await a.sleep(10s);
    }
    void begin(unsigned weight, std::optional<std::chrono::milliseconds> limit, std::string name)
    {
        a.spawn(wait(weight, limit, std::move(name)));
    }
    template <class Body>
    void run(Body body)
    {
        a.run([&]() -> awaitable<void> {
            auto held = co_await semaphore(a.client("B"), "s", {.permits = 4}).acquire();
            co_await here.ready();
            co_await body();
            co_await held.release();
            co_await a.sleep(60s);  // until all have ended
        });
    }
};

using outcomes = std::vector<std::string>;

TEST_CASE("a waiter for one permit gets it as soon as the wait for many before it is over", "[semaphore]")
{
    wide_and_narrow t;
    t.run([&]() -> awaitable<void> {
        t.begin(4, 100ms, "wide");
        co_await t.a.sleep(1ms);
        t.begin(1, std::nullopt, "narrow");
        co_await t.a.sleep(98ms);
        CHECK(t.seen.empty());
        co_await t.a.sleep(10ms);
        CHECK(t.seen == outcomes{"wide is busy", "narrow has it"});
    });
}

TEST_CASE("a single attempt for many permits does not keep those behind it waiting", "[semaphore]")
{
    wide_and_narrow t;
    t.run([&]() -> awaitable<void> {
        t.begin(4, 0ms, "wide");
        t.begin(3, 0ms, "less wide");
        t.begin(1, std::nullopt, "narrow");
        t.begin(2, 0ms, "behind");
        co_await t.a.sleep(20ms);
        CHECK(t.seen == outcomes{"wide is busy", "less wide has it", "behind is busy"});
    });
}

TEST_CASE("a single attempt is not made while a contender of its process waits for more permits", "[semaphore]")
{
    wide_and_narrow t;
    t.run([&]() -> awaitable<void> {
        t.begin(4, std::nullopt, "wide");
        co_await t.a.sleep(10ms);
        t.begin(1, 0ms, "narrow");
        co_await t.a.sleep(1ms);
        CHECK(t.seen == outcomes{"narrow is busy"});
    });
}

TEST_CASE("a waiter for one permit gets it when the contender before it is cancelled during its attempt", "[semaphore]")
{
    wide_and_narrow t;
    t.run([&]() -> awaitable<void> {
        t.begin(4, 1ms, "wide");
        t.begin(1, std::nullopt, "narrow");
        co_await t.a.sleep(20ms);
        CHECK(t.seen.back() == "narrow has it");
    });
}

TEST_CASE("a lease that ended in this process does not say that no permit is free", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 3});
    a.run([&]() -> awaitable<void> {
        auto const held = co_await s.acquire({.lease = 200ms});
        a.server().pause();
        auto const ec = co_await error_of(s.try_acquire({}, use_awaitable));
        CHECK_FALSE(held.valid());
        CHECK(ec == errc::unavailable);
        a.server().resume();
    });
}

TEST_CASE("a contender for more permits than there are fails, and those behind it go on", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        refused(co_await error_of(s.acquire({.weight = 0}, use_awaitable)));
        refused(co_await error_of(s.acquire({.weight = 4'096}, use_awaitable)));
        refused(co_await error_of(s.acquire({.lease = 13h}, use_awaitable)));
        refused(co_await error_of(s.acquire({.weight = 3}, use_awaitable)));
        auto held = co_await s.acquire();
        refused(co_await error_of(held.extend(13h, use_awaitable)));
        error_code ec;
        a.spawn([&]() -> awaitable<void> {
            auto const l = co_await s.acquire({.weight = 2}, asio::redirect_error(use_awaitable, ec));
        });
        co_await a.sleep(20ms);
        // The number is lowered while it waits.
        auto const before = co_await s.set_permits(1);
        CHECK(before.total == 2);
        CHECK(before.held == 1);
        co_await held.release();
        co_await a.sleep(2s);
        CHECK(ec == errc::invalid_option);
        auto const last = co_await s.try_acquire();
        CHECK(last.valid());
    });
}

TEST_CASE("a client whose handle has another number of permits learns it", "[semaphore]")
{
    arena a;
    auto& other = a.client("B");
    semaphore s(a.client("A"), "s", {.permits = 1});
    semaphore t(other, "s", {.permits = 5});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire();
        for (int i = 0; i < 2; ++i) {
            auto const none = co_await t.try_acquire();
            CHECK(none.empty());
        }
        CHECK(a.lines_with("it has 1 permits, the options of the handle have 5") == 1);
        CHECK(other.stats().permits_differ == 1);
    });
}

TEST_CASE("contenders for permits of one weight hand grants off, and let other processes have turns", "[semaphore]")
{
    arena a;
    auto& here = a.client("A");
    semaphore s(here, "s", {.permits = 2});
    semaphore t(a.client("B"), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        int left = 41;
        for (int i = 0; i < 40; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto const l = co_await s.acquire();
                co_await a.sleep(1ms);
                --left;
            });
        co_await a.sleep(2ms);
        a.spawn(
            [&]() -> awaitable<void> {
                auto const l = co_await t.acquire();
                // Those that were first are not all served yet.
                CHECK(left > 1);
                --left;
            },
            "B");
        while (left > 0)
            co_await a.sleep(10ms);
        CHECK(here.stats().handed_off > 10);
        co_await a.sleep(50ms);
        CHECK(free_permits(a) == "2");
    });
}

TEST_CASE("many contenders of a process are granted permits in few attempts", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 500});
    a.run([&]() -> awaitable<void> {
        auto warm = co_await s.acquire();
        co_await warm.release();
        a.commands();
        int granted = 0;
        for (int i = 0; i < 500; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto const l = co_await s.acquire();
                ++granted;
                co_await a.sleep(500ms);
            });
        while (granted < 500)
            co_await a.sleep(1ms);
        // 1, 2, 4, 8, 16, 32 and 64 contenders, and then 100 in each.
        CHECK(std::ranges::count(a.commands(), "EVALSHA") < 25);
        CHECK(free_permits(a) == "0");
        co_await a.sleep(1s);
        CHECK(free_permits(a) == "500");
    });
}

TEST_CASE(
    "an attempt asks for few permits at once, so that its script keeps the server for a short time", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 4'000});
    a.run([&]() -> awaitable<void> {
        auto const attempts_for = [&](unsigned weight) -> awaitable<long> {
            a.commands();
            int granted = 0;
            for (int i = 0; i < 60; ++i)
                a.spawn([&, weight]() -> awaitable<void> {
                    auto const l = co_await s.acquire({.weight = weight});
                    ++granted;
                    co_await a.sleep(500ms);
                });
            while (granted < 60)
                co_await a.sleep(1ms);
            auto const sent = std::ranges::count(a.commands(), "EVALSHA");
            co_await a.sleep(1s);
            co_return sent;
        };
        CHECK(co_await attempts_for(1) < 10);
        // From the first attempt on that serves two contenders.
        CHECK(co_await attempts_for(50) >= 30);
        CHECK(co_await attempts_for(60) == 60);
        CHECK(free_permits(a) == "4000");
    });
}

TEST_CASE("contenders for which there are no permits left wait, and keep their order", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 10});
    semaphore t(a.client("B"), "s", {.permits = 10});
    a.run([&]() -> awaitable<void> {
        auto others = co_await t.acquire({.weight = 10});
        std::vector<unsigned> order;
        for (unsigned i = 0; i < 14; ++i)
            a.spawn(
                [&, i]() -> awaitable<void> {
                    // Never as many permits as others ask for: no grant is handed off.
                    auto const l = co_await s.acquire({.weight = i % 2 + 1});
                    order.push_back(i);
                    co_await a.sleep(200ms);
                },
                "A");
        co_await a.sleep(20ms);
        co_await others.release();
        co_await a.sleep(100ms);
        // 1 + 2 + 1 + 2 + 1 + 2 permits, and the next contender asks for 1.
        CHECK(order == std::vector{0U, 1U, 2U, 3U, 4U, 5U, 6U});
        CHECK(free_permits(a) == "0");
        co_await a.sleep(1s);
        CHECK(std::ranges::is_sorted(order));
        CHECK(order.size() == 14);
        CHECK(free_permits(a) == "10");
    });
}

TEST_CASE("a follower that asks for more permits than there are fails alone", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 4});
    a.run([&]() -> awaitable<void> {
        int granted = 0;
        error_code ec;
        for (unsigned const weight : {1U, 1U, 9U, 1U})
            a.spawn([&, weight]() -> awaitable<void> {
                error_code mine;
                auto const l = co_await s.acquire({.weight = weight}, asio::redirect_error(use_awaitable, mine));
                l ? ++granted : 0;
                if (mine)
                    ec = mine;
                co_await a.sleep(200ms);
            });
        co_await a.sleep(100ms);
        CHECK(granted == 3);
        CHECK(ec == errc::invalid_option);
        co_await a.sleep(1s);
        CHECK(free_permits(a) == "4");
    });
}

TEST_CASE("a permit that was sought for a contender that has left returns to the semaphore", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 8});
    a.run([&]() -> awaitable<void> {
        auto warm = co_await s.acquire();
        co_await warm.release();
        asio::cancellation_signal stop;
        std::vector<lease> held;
        error_code ec;
        for (unsigned i = 0; i < 6; ++i)
            // Of different weights, so that no other contender can have the grant.
            s.acquire(
                {.weight = i == 3 ? 2U : 1U},
                asio::bind_cancellation_slot(
                    i == 3 ? stop.slot() : asio::cancellation_slot(), [&](error_code e, lease l) {
                        e ? ec = e : ec;
                        held.push_back(std::move(l));
                    }));
        // The attempt for one contender is answered, and that for the next two; the one for the others is under way.
        while (held.size() < 3)
            co_await a.sleep(50us);
        stop.emit(asio::cancellation_type::terminal);
        co_await a.sleep(100ms);
        CHECK(ec == asio::error::operation_aborted);
        CHECK(held.size() == 6);
        CHECK(free_permits(a) == "3");
        held.clear();
        co_await a.sleep(1s);
        CHECK(free_permits(a) == "8");
    });
}

TEST_CASE("the permits of an attempt without a reply return to the semaphore", "[semaphore]")
{
    arena a;
    auto config = arena::quick();
    config.lease = 10min;
    semaphore s(a.client("A", config), "s", {.permits = 100});
    a.run([&]() -> awaitable<void> {
        auto warm = co_await s.acquire();
        co_await warm.release();
        std::vector<lease> held;
        for (int i = 0; i < 100; ++i)
            s.acquire([&](error_code ec, lease l) {
                CHECK_FALSE(ec);
                held.push_back(std::move(l));
            });
        while (held.size() < 7)
            co_await a.sleep(50us);
        // The attempt for the next eight contenders is under way.
        a.server().faults.lose_reply = 1;
        co_await a.sleep(100ms);
        a.server().faults = {};
        co_await a.sleep(30s);
        CHECK(held.size() == 100);
        CHECK(free_permits(a) == "0");
        held.clear();
        co_await a.sleep(1s);
        CHECK(free_permits(a) == "100");
    });
}

TEST_CASE("set_permits wakes waiters, and a handle without a number waits for the semaphore", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {});
    a.run([&]() -> awaitable<void> {
        auto const none = co_await s.permits();
        CHECK(none.total == 0);
        bool granted = false;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await s.acquire();
            granted = true;
            co_await a.sleep(10ms);
        });
        co_await a.sleep(3s);
        CHECK_FALSE(granted);
        auto const before = co_await s.set_permits(2);
        CHECK(before.total == 0);
        co_await a.sleep(5ms);
        CHECK(granted);
    });
}

TEST_CASE("a semaphore whose holders were lost says how its permits are restored", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 2});
    semaphore t(a.client("B"), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        auto one = co_await s.acquire({.weight = 2});
        a.server().execute({"DEL", "{s}:timeout"});
        diagnostics text;
        error_code ec;
        auto const none = co_await t.try_acquire(bind_diagnostics(text, asio::redirect_error(use_awaitable, ec)));
        CHECK(none.empty());
        CHECK(ec == errc::invalid_option);
        CHECK(text.message().find("set_permits() restores") != std::string_view::npos);
        auto const why = co_await one.lost();
        CHECK(why == loss::key_missing);
        co_await t.set_permits(2);
        auto const both = co_await t.try_acquire({.weight = 2});
        CHECK(both.valid());
    });
}

TEST_CASE("add_permits changes the number for all clients, and wakes waiters", "[semaphore]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 2});
    semaphore t(a.client("B"), "s", {.permits = 2});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire({.weight = 2});
        bool granted = false;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await t.acquire({.weight = 2});
            granted = true;
        });
        co_await a.sleep(1s);
        auto now = co_await s.add_permits(2);
        CHECK(now.total == 4);
        CHECK(now.held == 2);
        co_await a.sleep(5ms);
        CHECK(granted);
        now = co_await t.add_permits(-3);
        CHECK(now.total == 1);
        CHECK(now.free == -1);
        CHECK(held.valid());
        now = co_await t.add_permits(-3);
        CHECK(now.total == 0);
        refused(co_await error_of(s.add_permits(0, use_awaitable)));
    });
}

TEST_CASE("add_permits creates a semaphore from the number of its handle", "[semaphore]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const more = co_await semaphore(c, "more", {.permits = 8}).add_permits(2);
        CHECK(more.total == 10);
        auto const fair = co_await semaphore(c, "fair", {.permits = 8, .fair = true}).add_permits(-1);
        CHECK(fair.total == 7);
        auto const none = co_await semaphore(c, "none", {}).add_permits(3);
        CHECK(none.total == 3);
        auto const numbered = co_await semaphore(c, "n", {.permits = 120, .numbered = true}).add_permits(10);
        CHECK(numbered.total == 128);
    });
}

TEST_CASE("revoke takes the permits of one lease away", "[semaphore]")
{
    for (bool const is_fair : {false, true}) {
        arena a;
        auto& c = a.client("A");
        semaphore s(c, "s", {.permits = 3, .fair = is_fair});
        semaphore t(a.client("B"), "s", {.permits = 3, .fair = is_fair});
        a.run([&]() -> awaitable<void> {
            auto one = co_await s.acquire({.weight = 2});
            auto other = co_await t.acquire();
            bool granted = false;
            a.spawn([&]() -> awaitable<void> {
                auto l = co_await t.acquire({.weight = 2});
                granted = true;
                co_await a.sleep(1h);
            });
            co_await a.sleep(10ms);
            std::string id;
            auto const holders = co_await s.holders();
            for (auto const& h : holders)
                if (h.weight == 2)
                    id = h.id;
            auto const part = co_await t.revoke(id.substr(0, id.find(':')));
            CHECK_FALSE(part);
            CHECK(one.valid());
            auto const revoked = co_await t.revoke(id);
            CHECK(revoked);
            co_await a.sleep(5ms);
            CHECK(granted);
            auto const why = co_await one.lost();
            CHECK(why == loss::key_missing);
            CHECK(other.valid());
            auto const again = co_await t.revoke(id);
            CHECK_FALSE(again);
            refused(co_await error_of(s.revoke("", use_awaitable)));
        });
    }
}

TEST_CASE("a semaphore is refused as a member of a multi_lock or red_lock", "[semaphore]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        multi_lock both(mutex(c, "m"), semaphore(c, "s", {.permits = 1}));
        refused(co_await error_of(both.acquire(use_awaitable)));
        red_lock const majority({semaphore(c, "s", {.permits = 1}), mutex(a.client("B"), "s")});
        refused(co_await error_of(majority.acquire(use_awaitable)));
    });
}

TEST_CASE("leases that end together are released in one script", "[semaphore]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 10});
    a.run([&]() -> awaitable<void> {
        std::vector<lease> all;
        for (int i = 0; i < 5; ++i)
            all.push_back(co_await s.acquire({.weight = 2}));
        a.commands();
        all.clear();
        co_await a.sleep(50ms);
        auto const sent = a.commands();
        CHECK(std::ranges::count(sent, "EVAL") == 1);
        CHECK(free_permits(a) == "10");
    });
}

TEST_CASE("the number of free permits is exact up to the largest number of permits", "[semaphore]")
{
    constexpr auto most = std::numeric_limits<unsigned>::max();
    arena world;
    semaphore const s(world.client(), "s", {.permits = most});
    world.run([&]() -> awaitable<void> {
        auto const held = co_await s.acquire({.weight = 100});
        auto const now = co_await s.permits();
        CHECK(now.total == most);
        CHECK(now.free == std::int64_t(most) - 100);
        auto const before = co_await s.set_permits(50);
        CHECK(before.free == std::int64_t(most) - 100);
        auto const lowered = co_await s.permits();
        CHECK(lowered.free == -50);
    });
}

}  // namespace
}  // namespace holdfast::test
