//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Faults of multi-locks in other libraries, and failures of the servers of a multi_lock: a lease time that grows with
// each round, a cancelled acquire that returns without the lock, a release that stops at the first error, an attempt
// that is undone only after a time-out.

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "support/redirect.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::chrono::milliseconds life_of(arena& a, std::string_view key, std::string_view at = "redis")
{
    return std::chrono::milliseconds(a.server(at).execute({"PTTL", key}).integer);
}

TEST_CASE("the lease time of a multi_lock does not grow with the number of rounds", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& rival = a.client("B");
    a.run([&]() -> awaitable<void> {
        lease l;
        auto first = co_await mutex(rival, "x").acquire();
        a.spawn(
            [&]() -> awaitable<void> { l = co_await multi_lock(mutex(c, "x"), mutex(c, "y")).acquire({.lease = 2s}); });
        for (int round = 0; round < 5; ++round) {
            co_await a.sleep(1s);
            auto next = co_await mutex(rival, round % 2 == 0 ? "y" : "x").acquire();
            first = std::move(next);
        }
        CHECK(l.empty());
        co_await first.release();
        co_await a.sleep(200ms);
        CHECK(l.valid());
        for (auto const* key : {"x", "y"}) {
            CHECK(life_of(a, key) > 1s);
            CHECK(life_of(a, key) <= 2s);
        }
        co_await a.sleep(2s);
        CHECK_FALSE(l.valid());  // and it is not renewed
    });
}

TEST_CASE(
    "a multi_lock acquire cancelled in any phase completes as operation_aborted without the lock",
    "[multi_lock][cancellation]")
{
    for (auto const after : {0us, 200us, 500us, 1000us, 2000us, 5000us, 50'000us, 700'000us}) {
        CAPTURE(after);
        arena a({.network = {.delay = {400us, 400us}}});
        auto& c = a.client();
        auto& d = a.client("A", arena::quick(), "other");
        auto& rival = a.client("B", arena::quick(), "other");
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            co_await d.ready();
            auto in_the_way = co_await mutex(rival, "y").acquire();
            asio::cancellation_signal signal;
            error_code ec;
            bool ended = false;
            lease l;
            a.spawn([&]() -> awaitable<void> {
                l = co_await multi_lock(mutex(c, "x"), mutex(d, "y"), mutex(c, "z"))
                        .acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
                ended = true;
            });
            co_await a.sleep(after);
            signal.emit(asio::cancellation_type::partial);
            co_await a.sleep(0us);
            CHECK(ended);
            CHECK(ec == asio::error::operation_aborted);
            CHECK(l.empty());
            co_await in_the_way.release();
            co_await a.sleep(10ms);
            CHECK_FALSE(a.exists("x"));
            CHECK_FALSE(a.exists("y", "other"));
            CHECK_FALSE(a.exists("z"));
        });
    }
}

TEST_CASE("a multi_lock release that fails on one server still releases the members on the others", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    auto& e = a.client("A", arena::quick(), "third");
    a.run([&]() -> awaitable<void> {
        auto l = co_await multi_lock(mutex(d, "y"), mutex(c, "x"), mutex(e, "z")).acquire();
        a.server("other").pause();
        auto const start = a.now();
        error_code ec;
        co_await l.release(redirect(ec));
        CHECK(ec == errc::unavailable);
        CHECK(a.now() - start <= arena::quick().command_timeout + 10ms);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("z", "third"));
        a.server("other").resume();
        co_await a.sleep(1s);
        CHECK_FALSE(a.exists("y", "other"));
    });
}

TEST_CASE("a failed try_acquire of a multi_lock is undone on every server", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    multi_lock both(mutex(c, "x"), mutex(d, "y"));
    auto const try_in_vain = [&]() -> awaitable<error_code> {
        error_code ec;
        auto const l = co_await both.try_acquire(redirect(ec));
        CHECK(l.empty());
        co_await a.sleep(20ms);
        CHECK_FALSE(a.exists("x"));
        co_return ec;
    };
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        SECTION("the reply to a grant is lost")
        {
            a.server("other").faults = {.lose_reply = 1};
            auto const ec = co_await try_in_vain();
            CHECK(ec == errc::unavailable);
            a.server("other").faults = {};
        }
        SECTION("the connection is lost")
        {
            a.server("other").faults = {.disconnect = 1};
            auto const ec = co_await try_in_vain();
            CHECK(ec == errc::unavailable);
            a.server("other").faults = {};
        }
        SECTION("the server replies with an error")
        {
            a.server("other").execute({"RPUSH", "y", "a list"});
            auto const ec = co_await try_in_vain();
            CHECK(ec == errc::wrong_type);
            a.server("other").execute({"DEL", "y"});
        }
        SECTION("another client holds the member")
        {
            a.server("other").execute({"SET", "y", "somebody", "PX", "1000"});
            auto const ec = co_await try_in_vain();
            CHECK_FALSE(ec);
        }
        co_await a.sleep(5s);
        CHECK_FALSE(a.exists("y", "other"));
        auto const l = co_await both.try_acquire();
        CHECK(l.valid());
    });
}

TEST_CASE("try_acquire of a multi_lock ends within its wait time when a server is silent", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        a.server("other").pause();
        auto const start = a.now();
        error_code ec;
        auto const l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).try_acquire({.wait = 40ms}, redirect(ec));
        CHECK(ec == errc::unavailable);
        CHECK(a.now() - start <= 41ms);
        a.server("other").resume();
        co_await a.sleep(1s);
        CHECK_FALSE(a.exists("x"));
        CHECK_FALSE(a.exists("y", "other"));
    });
}

// Whenever one member is granted, another client takes the other one for 20 ms: the client pauses before each round.
TEST_CASE("a multi_lock whose rounds are all busy completes as busy whenever its wait time ends", "[multi_lock]")
{
    for (auto wait = 300ms; wait < 330ms; ++wait) {
        CAPTURE(wait.count());
        arena a;
        auto& c = a.client();
        auto& d = a.client("A", arena::quick(), "other");
        auto const take_other = [&](std::string_view server, std::string_view other, std::string_view key) {
            a.server(server).network.delay = {5ms, 5ms};
            a.server(server).check([&a, other, key](executed const& e) {
                if (e.what.args[0] == "SET" && e.what.args[2] != "somebody")
                    a.server(other).execute({"SET", key, "somebody", "PX", "20"});
            });
        };
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            co_await d.ready();
            take_other("redis", "other", "y");
            take_other("other", "redis", "x");
            auto const start = a.now();
            auto const l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).try_acquire({.wait = wait});
            CHECK(l.empty());
            CHECK(a.now() - start <= wait + 1ms);
        });
    }
}

// The lease of the first member is lost before the second member is granted.
TEST_CASE(
    "try_acquire of a multi_lock does not complete as busy when a member is lost during the round", "[multi_lock]")
{
    for (bool const is_destroyed : {false, true}) {
        CAPTURE(is_destroyed);
        arena a;
        auto& c = a.client();
        auto& d = a.client("A", arena::quick(), "far");
        a.run([&]() -> awaitable<void> {
            co_await d.ready();
            a.server("far").network.delay = {80ms, 80ms};
            reentrant_lock const first(c, "x", c.make_owner());
            auto outer = co_await first.acquire();
            a.world().at(a.now() + 50ms, [&] {
                if (is_destroyed)
                    return a.destroy(c);
                a.server().execute({"DEL", "x"});
                outer.extend(3s, asio::detached);
            });
            error_code ec;
            auto const l = co_await multi_lock(first, mutex(d, "y")).try_acquire(redirect(ec));
            CHECK(l.empty());
            CHECK(ec == (is_destroyed ? errc::client_stopped : errc::unavailable));
        });
    }
}

// The second member's server replies so late that the lease of the first member has ended by then. In each following
// round another client holds the first member.
TEST_CASE("a multi_lock does not give up after late rounds that are not consecutive", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "far");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        a.server().network.delay = {10ms, 10ms};
        a.server("far").network.delay = {45ms, 45ms};
        bool goes_on = true;
        auto const take_first = [&] { a.server().execute({"SET", "x", "somebody", "PX", "300"}); };
        int late = 0;
        a.server("far").check([&](executed const& e) {
            if (e.what.args[0] != "SET" || !goes_on)
                return;
            late += a.server().execute({"GET", "x"}).text != "somebody";
            a.world().at(a.now() + 44ms, take_first);
        });
        take_first();
        error_code ec;
        lease l;
        bool ended = false;
        a.spawn([&]() -> awaitable<void> {
            l = co_await multi_lock(mutex(c, "x"), mutex(d, "y")).acquire({.lease = 100ms}, redirect(ec));
            ended = true;
        });
        co_await a.sleep(10s);
        CHECK_FALSE(ended);
        CHECK_FALSE(ec);
        CHECK(late > 3);
        goes_on = false;
        a.server("far").network.delay = {1ms, 1ms};
        co_await a.sleep(2s);
        CHECK(ended);
        CHECK_FALSE(ec);
    });
}

TEST_CASE("a multi_lock is busy when its own process holds a member", "[multi_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const held = co_await mutex(c, "x").acquire();
        auto const l = co_await multi_lock(mutex(c, "x"), mutex(c, "x2")).try_acquire();
        CHECK(l.empty());
        CHECK(held.valid());
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("x2"));
    });
}

TEST_CASE("a multi_lock with a limited lease time does not make a fencing counter expire", "[multi_lock][fencing]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        multi_lock both(reentrant_lock(c, "x", c.make_owner(), {.fencing = true}), mutex(c, "y"));
        std::uint64_t last = 0;
        for (int i = 0; i < 3; ++i) {
            auto l = co_await both.acquire({.lease = 200ms});
            auto const token = l.fencing_token("x");
            CHECK(token);
            CHECK(token.value_or(0) > last);
            last = token.value_or(0);
            CHECK(life_of(a, "redisson_lock_token:{x}") == -1ms);
            co_await a.sleep(1s);
            CHECK_FALSE(l.valid());
        }
    });
}

}  // namespace
}  // namespace holdfast::test
