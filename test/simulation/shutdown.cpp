//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a shutdown does with the bodies of with_lock and lead: it cancels them, and waits for them until `grace` ends.

#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using Catch::Matchers::StartsWith;

// A coroutine that goes on after a cancellation.
awaitable<void> sleep_in_spite(arena& a, core::duration d)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await a.sleep(d);
}

TEST_CASE("shutdown() cancels the body of with_lock at once, and waits for its end", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    core::instant cancelled{};
    core::instant ended{};
    int result = 0;
    auto body = [&](lease&) -> awaitable<int> {
        error_code ec;
        co_await a.at("A").sleep(1h, redirect(ec));
        cancelled = a.now();
        CHECK(ec == asio::error::operation_aborted);
        co_await asio::this_coro::reset_cancellation_state();
        co_await a.sleep(300ms);
        ended = a.now();
        co_return 7;
    };
    a.run([&]() -> awaitable<void> {
        a.spawn([&]() -> awaitable<void> { result = co_await with_lock(mutex(c, "m"), body); });
        co_await a.sleep(1s);
        auto const start = a.now();
        co_await c.shutdown({.grace = 5s});
        CHECK(cancelled - start < 10ms);
        CHECK(ended - start >= 300ms);
        CHECK(a.now() - start < 400ms);
        co_await a.sleep(1ms);
    });
    CHECK(result == 7);
    CHECK_FALSE(a.exists("m"));
    CHECK(c.stats().abandoned == 0);
}

TEST_CASE("with_lock fails as client_stopped when a shutdown cancelled its body", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    std::string what;
    auto const caller = [&](any_lock lock) -> awaitable<void> {
        try {
            co_await with_lock(std::move(lock), [&](lease&) -> awaitable<void> { co_await a.sleep(1h); });
        } catch (holdfast::error const& e) {
            CHECK(e.code() == errc::client_stopped);
            what = e.what();
        }
    };
    auto const kind = GENERATE("mutex", "multi_lock");
    std::string const name = kind == std::string("mutex") ? "m" : "m,n";
    a.run([&]() -> awaitable<void> {
        any_lock const lock = name == "m" ? any_lock(mutex(c, "m"))
                                          : any_lock(multi_lock(mutex(c, "m"), mutex(c, "n")));
        a.spawn(caller(lock));
        co_await a.sleep(1s);
        auto const start = a.now();
        co_await c.shutdown({.grace = 5s});
        CHECK(a.now() - start < 100ms);
        co_await a.sleep(1ms);
    });
    CHECK_THAT(what, StartsWith("lock \"m") && Catch::Matchers::ContainsSubstring(": the client was stopped"));
    CHECK_FALSE(a.exists("m"));
}

TEST_CASE("shutdown() cancels the body of lead, which resigns", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    error_code ended;
    auto body = [&](leadership&) -> awaitable<void> { co_await a.sleep(1h); };
    a.run([&]() -> awaitable<void> {
        election of(c, "boss");
        a.spawn([&]() -> awaitable<void> { ended = co_await error_of(lead(of, "A", {}, body)); });
        co_await a.sleep(1s);
        auto const start = a.now();
        co_await c.shutdown({.grace = 5s});
        CHECK(a.now() - start < 100ms);
        co_await a.sleep(1ms);
    });
    CHECK(ended == errc::client_stopped);
    CHECK(c.stats().abandoned == 0);
}

TEST_CASE("shutdown() lets a body work for cancel_after, and then cancels it", "[shutdown]")
{
    auto const work = GENERATE(500ms, 3'600'000ms);
    arena a;
    auto& c = a.client();
    bool was_cancelled = false;
    auto body = [&](lease&) -> awaitable<void> {
        error_code ec;
        co_await a.at("A").sleep(work, redirect(ec));
        was_cancelled = ec.failed();
    };
    a.run([&]() -> awaitable<void> {
        a.spawn([&]() -> awaitable<void> { co_await with_lock(mutex(c, "m"), body); });
        co_await a.sleep(100ms);
        auto const start = a.now();
        co_await c.shutdown({.grace = 10s, .cancel_after = 2s});
        CHECK(a.now() - start >= std::min<core::duration>(work - 110ms, 2s));
        CHECK(a.now() - start < std::min<core::duration>(work, 2s) + 100ms);
    });
    CHECK(was_cancelled == (work > 2s));
    CHECK_FALSE(a.exists("m"));
}

TEST_CASE("shutdown() leaves the grants of bodies that do not end in time to expire, and counts them", "[shutdown]")
{
    auto const cancel_after = GENERATE(0ms, 900ms, 5000ms);
    arena a;
    auto& c = a.client();
    error_code ended;
    auto body = [&](lease& l) -> awaitable<void> {
        co_await sleep_in_spite(a, 2s);
        CHECK_FALSE(l.valid());
    };
    a.run([&]() -> awaitable<void> {
        auto const held = co_await mutex(c, "held").acquire();
        a.spawn([&]() -> awaitable<void> { ended = co_await error_of(with_lock(mutex(c, "m"), body)); });
        co_await a.sleep(100ms);
        auto const start = a.now();
        auto const left = co_await c.shutdown({.grace = 1s, .cancel_after = cancel_after});
        CHECK(left == 2);
        CHECK(a.now() - start >= 1s);
        CHECK(a.now() - start < 1100ms);
        CHECK(a.exists("m"));
        CHECK(a.exists("held"));
        CHECK(c.stats().abandoned == 2);
        co_await a.sleep(2s);
    });
    CHECK(ended == errc::lease_lost);
}

TEST_CASE("shutdown() ends with_lock in each phase", "[shutdown]")
{
    for (auto after = 0us; after <= 2'500us; after += 50us) {
        arena a;
        auto& c = a.client();
        bool has_ended = false;
        auto body = [&](lease&) -> awaitable<void> { co_await a.sleep(1h); };
        a.run([&]() -> awaitable<void> {
            a.spawn([&]() -> awaitable<void> {
                auto const ec = co_await error_of(with_lock(mutex(c, "m"), body));
                CHECK(ec == errc::client_stopped);
                has_ended = true;
            });
            co_await a.sleep(after);
            auto const start = a.now();
            co_await c.shutdown({.grace = 5s});
            CHECK(a.now() - start < 100ms);
            co_await a.sleep(1ms);
        });
        CHECK(has_ended);
        CHECK_FALSE(a.exists("m"));
    }
}

// The lock is granted, and the body begins when the shutdown has asked bodies to end already.
TEST_CASE("a body that begins during a shutdown is cancelled at once", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto l = co_await mutex(c, "m").acquire();
        error_code ended = errc::unavailable;
        c.shutdown({.grace = 5s}, [&](error_code ec, std::size_t) { ended = ec; });
        auto const start = a.now();
        auto const why = co_await detail::initiate(detail::start_stopping, asio::use_awaitable, detail::pointer_to(l));
        CHECK(why == loss::client_stopped);
        CHECK(a.now() - start < 10ms);
        CHECK(l.valid());
        co_await l.release();
        co_await a.sleep(10ms);
        CHECK_FALSE(ended);
    });
}

}  // namespace
}  // namespace holdfast::test
