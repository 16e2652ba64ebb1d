//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The arena itself: a test body that fails must not crash or block the test program.

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

// The failure leaves a waiter behind. If it continued, it would use objects that are already destroyed.
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
        throw std::runtime_error("this scenario failed");
    });
}

TEST_CASE("when a test body throws, the coroutines that it spawned do not continue", "[arena]")
{
    bool went_on = false;
    CHECK_THROWS_WITH(fail_beside_a_waiter(went_on), "this scenario failed");
    CHECK_FALSE(went_on);
}

// The paused server never replies to the command that was sent to it.
void fail_while_the_server_stands_still()
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().pause();
        a.spawn([&]() -> awaitable<void> { auto l = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(10ms);
        throw std::runtime_error("this scenario failed");
    });
}

TEST_CASE("an exception of a test body reaches the caller while the server is paused", "[arena]")
{
    CHECK_THROWS_WITH(fail_while_the_server_stands_still(), "this scenario failed");
}

// A coroutine of the library acquires the multi_lock, and the cancellation signal refers to that coroutine.
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
        throw std::runtime_error("this scenario failed");
    });
}

TEST_CASE("an exception of a test body reaches the caller while a cancellable acquire is pending", "[arena]")
{
    CHECK_THROWS_WITH(fail_beside_what_can_be_cancelled(), "this scenario failed");
}

TEST_CASE("a test that ends while a waiter is still pending fails and does not crash", "[arena][!shouldfail]")
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
