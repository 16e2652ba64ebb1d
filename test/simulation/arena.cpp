//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The arena itself: a story that fails must not do more harm than to fail.

#include "simulation/arena.hpp"

#include <stdexcept>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// A waiter that a failure leaves behind, whose first step would be to touch what is gone by then.
void fail_beside_a_waiter(bool& went_on)
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto held = co_await m.acquire();
        error_code ec;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await m.acquire(asio::redirect_error(use_awaitable, ec));
            went_on = true;
        });
        co_await a.sleep(10ms);
        throw std::runtime_error("this story failed");
    });
}

TEST_CASE("a story that fails leaves nothing that goes on", "[arena]")
{
    bool went_on = false;
    CHECK_THROWS_WITH(fail_beside_a_waiter(went_on), "this story failed");
    CHECK_FALSE(went_on);
}

// What was sent to it is under way for ever.
void fail_while_the_server_stands_still()
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().pause();
        a.spawn([&]() -> awaitable<void> { auto l = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(10ms);
        throw std::runtime_error("this story failed");
    });
}

TEST_CASE("a story may fail while the server stands still", "[arena]")
{
    CHECK_THROWS_WITH(fail_while_the_server_stands_still(), "this story failed");
}

// It is taken by a coroutine of the library's own, to which the signal leads.
void fail_beside_what_can_be_cancelled()
{
    arena a;
    auto& c = a.client();
    auto& signal = a.world().new_signal();
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        multi_lock(mutex(c, "m"), mutex(c, "n"))
            .acquire(asio::bind_cancellation_slot(signal.slot(), [](error_code, lease) {}));
        co_await a.sleep(10ms);
        throw std::runtime_error("this story failed");
    });
}

TEST_CASE("a story may fail while something that can be cancelled is under way", "[arena]")
{
    CHECK_THROWS_WITH(fail_beside_what_can_be_cancelled(), "this story failed");
}

TEST_CASE("a story that leaves a waiter behind fails, and does not crash", "[arena][!shouldfail]")
{
    lease held;
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        held = co_await mutex(c, "m").acquire();
        a.spawn([&]() -> awaitable<void> { auto l = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(10ms);
    });
}

}  // namespace
}  // namespace holdfast::test
