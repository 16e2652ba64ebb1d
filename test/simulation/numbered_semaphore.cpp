//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Semaphores with numbers: no two valid leases have the same one, and the tokens grow. See also semaphore_contest.cpp.

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr semaphore_options three_numbered{.permits = 3, .numbered = true};

TEST_CASE(
    "each lease of a numbered semaphore has the smallest free number, and a greater token", "[semaphore][numbered]")
{
    arena a;
    semaphore s(a.client("A"), "s", three_numbered);
    semaphore t(a.client("B"), "s", three_numbered);
    a.run([&]() -> awaitable<void> {
        auto one = co_await s.acquire();
        auto two = co_await t.acquire();
        auto three_ = co_await s.acquire();
        CHECK(one.number() == 1U);
        CHECK(two.number() == 2U);
        CHECK(three_.number() == 3U);
        CHECK(one.fencing_token().value() < two.fencing_token().value());
        std::vector<unsigned> numbers;
        for (auto const& h : co_await t.holders())
            numbers.push_back(h.number);
        std::ranges::sort(numbers);
        CHECK(numbers == std::vector{1U, 2U, 3U});
        CHECK(two.fencing_token().value() < three_.fencing_token().value());
        auto const none = co_await s.try_acquire();
        CHECK(none.empty());
        CHECK_FALSE(none.number());
        co_await two.release();
        CHECK_FALSE(two.number());
        auto const again = co_await s.try_acquire();
        CHECK(again.number() == 2U);
        CHECK(again.fencing_token().value() > three_.fencing_token().value());
    });
}

TEST_CASE("the numbers of leases that are renewed for days stay theirs", "[semaphore][numbered]")
{
    arena a;
    auto config = arena::quick();
    config.lease = 6h;
    semaphore s(a.client("A", config), "s", three_numbered);
    semaphore t(a.client("B", config), "s", three_numbered);
    a.run([&]() -> awaitable<void> {
        auto const one = co_await s.acquire();
        auto const two = co_await t.acquire();
        co_await a.sleep(72h);
        CHECK(one.valid());
        CHECK(two.valid());
        auto const last = co_await s.acquire();
        CHECK(last.number() == 3U);
    });
}

TEST_CASE("the number of a holder that died is granted again", "[semaphore][numbered]")
{
    arena a;
    semaphore s(a.client("A"), "s", {.permits = 2, .numbered = true});
    semaphore t(a.client("B"), "s", {.permits = 2, .numbered = true});
    a.run(
        [&]() -> awaitable<void> {
            auto const dead = co_await s.acquire();
            auto const mine = co_await t.acquire();
            a.at("A").kill();
            auto const next = co_await t.acquire();
            CHECK(mine.number() == 2U);
            CHECK(next.number() == 1U);
            CHECK(next.fencing_token().value() > mine.fencing_token().value());
        },
        "B");
}

TEST_CASE("without permits a numbered semaphore refuses contenders, also those that wait", "[semaphore][numbered]")
{
    arena a;
    semaphore s(a.client(), "s", {.permits = 1, .numbered = true});
    a.run([&]() -> awaitable<void> {
        auto held = co_await s.acquire();
        error_code ec;
        bool done = false;
        auto const wait = [&]() -> awaitable<void> {
            co_await s.acquire(asio::redirect_error(use_awaitable, ec));
            done = true;
        };
        a.spawn(wait());
        co_await a.sleep(100ms);
        co_await s.set_permits(0);
        co_await a.sleep(100ms);
        CHECK(done);
        CHECK(ec == errc::invalid_option);
        co_await held.release();
        ec = co_await error_of(s.acquire(use_awaitable));
        CHECK(ec == errc::invalid_option);
        CHECK_FALSE(a.exists("holdfast_permit_waiting:{s}"));
        co_await s.set_permits(1);
        held = co_await s.acquire();
        CHECK(held.number() == 1U);
    });
}

TEST_CASE("a numbered semaphore refuses other weights, and options that do not go together", "[semaphore][numbered]")
{
    arena a;
    auto& c = a.client();
    semaphore s(c, "s", three_numbered);
    a.run([&]() -> awaitable<void> {
        auto const ec = co_await error_of(s.acquire({.weight = 2}, use_awaitable));
        CHECK(ec == errc::invalid_option);
        auto const too_many = co_await error_of(s.set_permits(129, use_awaitable));
        CHECK(too_many == errc::invalid_option);
        CHECK(c.last_failure().message == R"(lock "s": permits: must be at most 128 of a numbered semaphore)");
    });
    CHECK_THROWS_AS(semaphore(c, "s", {.permits = 2, .fair = true, .numbered = true}), std::invalid_argument);
    CHECK_THROWS_AS(semaphore(c, "s", {.permits = 129, .numbered = true}), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::test
