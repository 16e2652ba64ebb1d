//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Which waiter of a semaphore is notified, with the whole client. The clients look again after a minute only, so a wait that
// ends sooner was ended by a message.

#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// "H" holds permits of a semaphore; others wait for them.
struct patient_world {
    arena world;
    semaphore held = handle("H");
    semaphore at_x = handle("X"), at_y = handle("Y"), at_z = handle("Z");

    semaphore handle(std::string const& name)
    {
        auto c = arena::quick();
        c.lease = c.poll_interval = 1min;
        return semaphore(world.client(name, c), "s", {.permits = 2});
    }

    // When the permits were granted; max: they were not. It must outlive the world, whose contenders use its slot.
    struct wait {
        core::instant granted = core::instant::max();
        error_code ec;
        asio::cancellation_signal cancel;
    };

    // Holds the permits until the end of the test.
    awaitable<void> wait_for(semaphore s, permit_options o, wait& w)
    {
        auto const l = co_await s.acquire(
            o, asio::bind_cancellation_slot(w.cancel.slot(), asio::redirect_error(use_awaitable, w.ec)));
        if (w.ec)
            co_return;
        w.granted = world.now();
        co_await world.sleep(1h);
    }
    void begin_wait(std::string const& name, permit_options o, wait& w)
    {
        world.spawn(wait_for(name == "X" ? at_x : name == "Y" ? at_y : at_z, o, w), name);
    }

    std::string entries()
    {
        return to_string(world.server().execute({"ZRANGE", "holdfast_permit_waiting:{s}", "0", "-1"}));
    }
};

TEST_CASE("a waiter for several permits learns when those that were released early end", "[semaphore][at_least]")
{
    bool const is_second_kept = GENERATE(true, false);
    patient_world::wait z;
    patient_world p;
    p.world.run([&]() -> awaitable<void> {
        auto const begun = p.world.now();
        auto one = co_await p.held.acquire({.at_least = 1s});
        auto two = co_await p.held.acquire(is_second_kept ? permit_options{.at_least = 1s} : permit_options{});
        p.begin_wait("Z", {.weight = 2}, z);
        co_await p.world.sleep(100ms);
        co_await one.release();
        co_await p.world.sleep(100ms);
        co_await two.release();
        co_await p.world.sleep(5s);
        CHECK(z.granted - begun >= 995ms);
        CHECK(z.granted - begun < 1200ms);
    });
}

TEST_CASE("a release counts permits that have ended before, but that nobody has removed", "[semaphore]")
{
    patient_world::wait z;
    patient_world p;
    p.world.run([&]() -> awaitable<void> {
        auto one = co_await p.held.acquire({.lease = 2s, .renew = false});
        auto two = co_await p.held.acquire();
        p.begin_wait("Z", {.weight = 2}, z);
        co_await p.world.sleep(3s);
        auto const released = p.world.now();
        co_await two.release();
        co_await p.world.sleep(5s);
        CHECK(z.granted - released < 100ms);
    });
}

TEST_CASE("after a cut a release counts permits that have ended before", "[semaphore]")
{
    patient_world::wait z;
    patient_world p;
    p.world.run([&]() -> awaitable<void> {
        auto one = co_await p.held.acquire({.lease = 2s, .renew = false});
        auto two = co_await p.held.acquire();
        co_await p.held.set_permits(1);
        p.begin_wait("Z", {}, z);
        co_await p.world.sleep(3s);
        auto const released = p.world.now();
        co_await two.release();
        co_await p.world.sleep(5s);
        CHECK(z.granted - released < 100ms);
    });
}

TEST_CASE("a waiter that learned of an early end and leaves tells another one", "[semaphore][at_least]")
{
    patient_world::wait x, y;
    patient_world p;
    p.world.run([&]() -> awaitable<void> {
        auto const begun = p.world.now();
        auto all = co_await p.held.acquire({.at_least = 1s, .weight = 2});
        p.begin_wait("X", {.weight = 2}, x);
        co_await p.world.sleep(50ms);
        p.begin_wait("Y", {.weight = 2}, y);
        co_await p.world.sleep(150ms);
        co_await all.release();
        co_await p.world.sleep(300ms);
        x.cancel.emit(asio::cancellation_type::terminal);
        co_await p.world.sleep(5s);
        CHECK(x.ec == asio::error::operation_aborted);
        CHECK(y.granted - begun < 1200ms);
    });
}

TEST_CASE("a waiter that follows on one with another lease time does not cost others their places", "[semaphore]")
{
    patient_world::wait first, next, y, z;
    patient_world p;
    p.world.run([&]() -> awaitable<void> {
        auto one = co_await p.held.acquire();
        auto two = co_await p.held.acquire();
        p.begin_wait("X", {.lease = 10s}, first);
        co_await p.world.sleep(50ms);
        p.begin_wait("X", {.lease = 20s}, next);
        p.begin_wait("Y", {}, y);
        co_await p.world.sleep(50ms);
        p.begin_wait("Z", {}, z);
        co_await p.world.sleep(50ms);
        first.cancel.emit(asio::cancellation_type::terminal);
        co_await p.world.sleep(50ms);
        auto const before = p.entries();
        co_await one.release();
        co_await p.world.sleep(50ms);
        // Y was first now. Nobody else was notified, so nobody entered anew.
        CHECK(y.granted != core::instant::max());
        auto const after = p.entries();
        CHECK(before.find(after.substr(1, after.size() - 2)) != before.npos);
        co_await two.release();
        co_await p.world.sleep(50ms);
        CHECK(z.granted != core::instant::max());
        CHECK(next.granted == core::instant::max());
    });
}

TEST_CASE("contenders that were refused behind others leave nothing to release", "[semaphore]")
{
    arena a;
    auto& c = a.client("X");
    semaphore const s(c, "s", {.permits = 40});
    a.run([&]() -> awaitable<void> {
        std::vector<error_code> results(100);
        std::vector<asio::cancellation_signal> cancels(100);
        int granted = 0;
        for (std::size_t i = 0; i != 100; ++i)
            a.spawn(
                [&, i]() -> awaitable<void> {
                    auto const l = co_await s.acquire(asio::bind_cancellation_slot(
                        cancels[i].slot(), asio::redirect_error(use_awaitable, results[i])));
                    if (results[i])
                        co_return;
                    ++granted;
                    co_await a.sleep(1h);
                },
                "X");
        while (granted < 40)
            co_await a.sleep(1ms);
        co_await a.sleep(50ms);
        a.commands();
        for (auto& one : cancels)
            one.emit(asio::cancellation_type::terminal);
        // The replies to the releases have not come yet.
        co_await a.sleep(10us);
        CHECK(a.census(c).releases <= 1);
        co_await a.sleep(50ms);
        CHECK(a.server().execute({"EXISTS", "holdfast_permit_waiting:{s}"}).integer == 0);
    });
}

TEST_CASE("a handle that never creates the semaphore does not keep another one from it", "[semaphore]")
{
    arena a;
    auto& c = a.client("X");
    semaphore const passive(c, "s", {});
    semaphore const active(c, "s", {.permits = 4});
    a.run([&]() -> awaitable<void> {
        bool granted = false;
        a.spawn(
            [&]() -> awaitable<void> {
                auto const l = co_await passive.acquire();
                granted = true;
            },
            "X");
        co_await a.sleep(100ms);
        CHECK_FALSE(granted);
        auto const tried = co_await active.try_acquire();
        CHECK_FALSE(tried.empty());
        auto const l = co_await active.acquire();
        CHECK_FALSE(l.empty());
        co_await a.sleep(100ms);
        CHECK(granted);
    });
}

}  // namespace
}  // namespace holdfast::test
