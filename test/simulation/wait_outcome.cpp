//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The result of an acquire that times out: busy while the server replies, unavailable while it does not.

#include <functional>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

auto into(error_code& ec)
{
    return asio::redirect_error(use_awaitable, ec);
}

any_lock lock_of(client& c, std::string_view kind)
{
    if (kind == "write lock")
        return read_write_lock(c, "w").write();
    if (kind == "read lock")
        return read_write_lock(c, "w").read();
    if (kind == "fair lock")
        return fair_lock(c, "f");
    if (kind == "multi_lock")
        return multi_lock(std::vector<any_lock>{mutex(c, "a"), mutex(c, "b")});
    if (kind == "fenced mutex")
        return mutex(c, "g", {.fencing = true});
    return mutex(c, "m");
}

struct ends {
    unsigned granted = 0, busy = 0, unavailable = 0;
};

// Acquires the lock again and again, with a wait time of 10 ms, and holds it for 200 us.
awaitable<void> contend(arena& a, any_lock lock, try_options options, std::string_view where, ends& all)
{
    for (int round = 0; round < 20; ++round) {
        error_code ec;
        auto l = co_await lock.try_acquire(options, into(ec));
        all.granted += l.valid();
        all.busy += !ec && l.empty();
        all.unavailable += ec.failed();
        if (l.valid())
            co_await a.sleep(200us, where);
    }
}

TEST_CASE("an acquire that times out while the server replies completes as busy", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "write lock", "read lock", "fair lock", "multi_lock");
    bool const is_renewed = GENERATE(false, true);
    CAPTURE(kind, is_renewed);
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    try_options const options{.wait = 10ms, .lease = 2s, .renew = is_renewed};
    ends all;
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        for (int i = 0; i < 25; ++i) {
            a.spawn(contend(a, lock_of(c, kind), options, "A", all));
            a.spawn(contend(a, lock_of(d, kind), options, "B", all), "B");
        }
        co_await a.sleep(30s);
    });
    CAPTURE(all.granted, all.busy, all.unavailable);
    CHECK(all.granted + all.busy + all.unavailable == 1'000);
    CHECK(all.granted > 0);
    CHECK(all.unavailable == 0);
}

// One coroutine, which waits only for the server.
TEST_CASE(
    "an acquire whose wait time is shorter than a round trip completes as busy or with the lock", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "write lock", "read lock", "fair lock", "multi_lock");
    CAPTURE(kind);
    arena a({.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        for (auto const wait : {1ms, 4ms, 9ms, 12ms, 30ms}) {
            error_code ec;
            auto l = co_await lock_of(c, kind).try_acquire({.wait = wait}, into(ec));
            CHECK_FALSE(ec);
            co_await a.sleep(20ms);
        }
    });
}

// The client cannot know whether the lock is held, so it must not report busy.
TEST_CASE("an acquire that times out during an outage completes as unavailable", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "write lock", "read lock", "fair lock", "multi_lock");
    bool const is_silent = GENERATE(false, true);
    bool const was_answered = GENERATE(false, true);
    CAPTURE(kind, is_silent, was_answered);
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        if (was_answered)
            co_await lock_of(c, kind).acquire();
        if (is_silent)
            a.server().pause();
        else
            a.server().restart(false, 5s);
        co_await a.sleep(10ms);
        for (auto const wait : {50ms, 100ms, 200ms, 700ms, 1'500ms}) {
            CAPTURE(wait);
            error_code ec;
            auto const start = a.now();
            auto const l = co_await lock_of(c, kind).try_acquire({.wait = wait}, into(ec));
            CHECK(ec == errc::unavailable);
            CHECK(a.now() - start <= wait + 1ms);
        }
        a.server().resume();
        co_await a.sleep(10s);
    });
}

// Nobody holds the lock. The wait may end after the connection is open again, and before the reply to the first
// attempt.
TEST_CASE("a wait that begins during an outage never completes as busy before a reply has come", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "fenced mutex", "write lock", "read lock", "fair lock");
    CAPTURE(kind);
    arena a({.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        for (auto wait = 300ms; wait < 1500ms; wait += 1ms) {
            CAPTURE(wait.count());
            co_await c.ready();
            a.server().restart(false, 400ms);
            co_await a.sleep(10ms);
            error_code ec;
            auto l = co_await lock_of(c, kind).try_acquire({.wait = wait}, into(ec));
            CHECK((l.valid() || ec == errc::unavailable));
            if (l.valid())
                co_await l.release();
        }
    });
}

TEST_CASE("every queued waiter that times out in an outage completes as unavailable, not as busy", "[wait_outcome]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await mutex(c, "m").acquire();
        a.server().pause();
        ends all;
        for (int i = 0; i < 10; ++i)
            a.spawn([&]() -> awaitable<void> {
                error_code ec;
                auto const l = co_await mutex(c, "m").try_acquire({.wait = 300ms}, into(ec));
                all.busy += !ec;
                all.unavailable += ec == errc::unavailable;
            });
        co_await a.sleep(1s);
        CHECK(all.busy == 0);
        CHECK(all.unavailable == 10);
        a.server().resume();
    });
}

// The attempt of the waiter in front, and the turn of other processes before that, may have begun before the silence.
TEST_CASE("try_acquire behind a waiter ends within command_timeout when the server falls silent", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "fenced mutex", "write lock", "read lock", "fair lock", "multi_lock");
    auto const silence = GENERATE("lost replies", "a stopped server", "a lost connection");
    auto const later = GENERATE(0us, 250us, 10ms, 300ms);
    CAPTURE(kind, silence, later);
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const lock = lock_of(c, kind);
        auto held = co_await lock.acquire();
        a.spawn([&]() -> awaitable<void> {
            error_code ec;
            co_await lock.try_acquire({.wait = 5s}, into(ec));
        });
        co_await a.sleep(25ms);
        if (silence == std::string_view("lost replies"))
            a.server().faults.lose_reply = 1;
        else if (silence == std::string_view("a stopped server"))
            a.server().pause();
        else
            a.server().restart(false, 4s);
        held = lease();
        co_await a.sleep(later);
        error_code ec;
        auto const start = a.now();
        auto const l = co_await lock.try_acquire(into(ec));
        auto const took = a.now() - start;
        CHECK(took <= arena::quick().command_timeout);
        if (took > 0ms)
            CHECK(ec == errc::unavailable);
        a.server().faults = {};
        a.server().resume();
        co_await a.sleep(10s);
    });
}

// The wait ends before the server has replied to the first attempt after the release.
TEST_CASE("a connection that was lost while the lock was held does not make a later wait unavailable", "[wait_outcome]")
{
    auto options = arena::quick();
    options.local_handoff.max_time = 0ms;
    arena a({.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto& c = a.client("A", options);
    a.run([&]() -> awaitable<void> {
        lease held, next;
        a.spawn([&]() -> awaitable<void> { held = co_await mutex(c, "m").acquire(); });
        a.spawn([&]() -> awaitable<void> { next = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(1s);
        REQUIRE(held.valid());
        a.server().model().disconnect_all();
        co_await a.sleep(1s);
        held.release(asio::detached);
        co_await a.sleep(1ms);
        error_code ec;
        auto const short_wait = co_await mutex(c, "m").try_acquire({.wait = 3ms}, into(ec));
        CHECK(short_wait.empty());
        CHECK_FALSE(ec);
        co_await a.sleep(1s);
        CHECK(next.valid());
    });
}

// Whatever time is left for the reply when the connection is open again.
TEST_CASE("a query that waits for a connection ends within command_timeout", "[wait_outcome]")
{
    for (auto later = 10ms; later < 500ms; later += 10ms) {
        CAPTURE(later.count());
        arena a({.world = {.fifo = true}, .network = {.delay = {40ms, 40ms}}});
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            a.server().restart(false, 450ms);
            co_await a.sleep(later);
            error_code ec;
            auto const start = a.now();
            co_await mutex(c, "m").is_locked(into(ec));
            CHECK(a.now() - start <= arena::quick().command_timeout);
        });
    }
}

TEST_CASE("try_acquire completes as unavailable when a slow server does not reply in time", "[wait_outcome]")
{
    auto const kind = GENERATE("mutex", "fenced mutex", "write lock", "read lock", "fair lock", "multi_lock");
    CAPTURE(kind);
    arena a({.world = {.fifo = true}, .network = {.delay = {100ms, 100ms}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await lock_of(c, kind).acquire();
        co_await a.sleep(1s);
        a.server().pause();
        error_code ec;
        co_await lock_of(c, kind).try_acquire(into(ec));
        CHECK(ec == errc::unavailable);
        a.server().resume();
    });
}

TEST_CASE("an acquire that times out while its own process holds the lock is busy, even in an outage", "[wait_outcome]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const held = co_await mutex(c, "m").acquire({.lease = 10s});
        a.server().pause();
        error_code ec;
        auto const l = co_await mutex(c, "m").try_acquire({.wait = 300ms}, into(ec));
        CHECK_FALSE(ec);
        CHECK(l.empty());
        a.server().resume();
    });
}

}  // namespace
}  // namespace holdfast::test
