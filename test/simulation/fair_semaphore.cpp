//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The fair semaphore with the whole client: the order of waiters of several processes, dead and cancelled waiters, a
// changed number of permits.

#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr semaphore_options three_fair{.permits = 3, .fair = true, .waiter_timeout = 3s};

// Contenders "A" and "B", each a process.
struct two_contenders {
    arena world;
    semaphore a{world.client("A"), "s", three_fair};
    semaphore b{world.client("B"), "s", three_fair};
    std::vector<std::string> order;  // of the grants

    awaitable<void> contend(semaphore s, unsigned weight, std::string where)
    {
        error_code ec;
        auto l = co_await s.acquire({.weight = weight}, asio::redirect_error(use_awaitable, ec));
        order.push_back((ec ? "-" : "") + where + std::to_string(weight));
        co_await world.sleep(20ms, where);
    }

    // Waits until the contender has its place.
    awaitable<void> join(std::string where, unsigned weight)
    {
        world.spawn(contend(where == "A" ? a : b, weight, where), where);
        co_await world.sleep(30ms);
    }

    std::string free() { return std::string(world.server().execute({"GET", "s"}).text); }
};

TEST_CASE("a fair semaphore serves all processes in order of arrival, whatever the weights", "[semaphore]")
{
    two_contenders t;
    t.world.run([&]() -> awaitable<void> {
        auto held = co_await t.a.acquire({.weight = 2});
        co_await t.join("B", 3);
        co_await t.join("A", 1);  // one is free
        co_await t.join("B", 1);
        co_await t.join("A", 2);
        CHECK(t.order.empty());
        auto const none = co_await t.a.try_acquire();
        CHECK(none.empty());
        co_await held.release();
        // Much less than a refresh takes: the waiters are woken.
        co_await t.world.sleep(200ms);
        CHECK(t.order == std::vector<std::string>{"B3", "A1", "B1", "A2"});
        CHECK(t.free() == "3");
        CHECK_FALSE(t.world.exists("holdfast_permit_queue:{s}"));
        CHECK_FALSE(t.world.exists("holdfast_permit_waiters:{s}"));
    });
}

TEST_CASE("a waiter of a fair semaphore whose process died is passed over", "[semaphore]")
{
    two_contenders t;
    t.world.run([&]() -> awaitable<void> {
        auto held = co_await t.a.acquire({.weight = 3});
        co_await t.join("B", 2);
        co_await t.join("A", 1);
        t.world.at("B").kill();
        co_await held.release();
        co_await t.world.sleep(8s);
        CHECK(t.order == std::vector<std::string>{"A1"});
    });
}

// Their places last only because the client refreshes them, also that of a waiter for several permits.
TEST_CASE("waiters of a fair semaphore keep their places for longer than the waiter timeout", "[semaphore]")
{
    two_contenders t;
    t.world.run([&]() -> awaitable<void> {
        auto held = co_await t.a.acquire({.weight = 3});
        co_await t.join("B", 2);
        co_await t.join("A", 2);
        co_await t.world.sleep(20s);
        CHECK(held.valid());
        co_await held.release();
        co_await t.world.sleep(100ms);
        CHECK(t.order == std::vector<std::string>{"B2", "A2"});
    });
}

TEST_CASE("set_permits wakes the first waiter, and those that ask for too many fail", "[semaphore]")
{
    two_contenders t;
    t.world.run([&]() -> awaitable<void> {
        auto held = co_await t.a.acquire({.weight = 3});
        co_await t.join("B", 3);
        co_await t.join("A", 1);
        co_await t.a.set_permits(4);
        co_await t.world.sleep(100ms);
        CHECK(t.order.empty());  // one is free
        co_await t.a.set_permits(2);
        co_await t.world.sleep(100ms);
        CHECK(t.order == std::vector<std::string>{"-B3"});
        co_await held.release();
        co_await t.world.sleep(100ms);
        CHECK(t.order == std::vector<std::string>{"-B3", "A1"});
    });
}

TEST_CASE("waiters of a fair semaphore wait until somebody creates it", "[semaphore]")
{
    arena world;
    semaphore s(world.client(), "s", {.fair = true});
    world.run([&]() -> awaitable<void> {
        bool granted = false;
        world.spawn([&]() -> awaitable<void> {
            auto const l = co_await s.acquire();
            granted = l.valid();
        });
        co_await world.sleep(300ms);
        CHECK_FALSE(granted);
        co_await s.set_permits(1);
        co_await world.sleep(100ms);
        CHECK(granted);
    });
}

TEST_CASE("a waiter timeout of less than a second is refused", "[semaphore]")
{
    arena world;
    auto& c = world.client();
    CHECK_THROWS_AS(semaphore(c, "s", {.permits = 1, .fair = true, .waiter_timeout = 999ms}), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::test
