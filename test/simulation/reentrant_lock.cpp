//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A re-entry belongs to an owner, is counted in the client, and sends no command.

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

TEST_CASE("a re-entry sends no command, and the lock is free after as many releases as acquires", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner("tx-7");
        reentrant_lock r(c, "r", me);
        CHECK_FALSE(r.is_held());
        auto first = co_await r.acquire();
        a.commands();
        auto second = co_await r.acquire();
        auto third = co_await r.try_acquire({.wait = 1s});
        CHECK(a.commands().empty());
        CHECK(first.hold_count() == 3);
        CHECK(r.is_held());
        CHECK(first.owner() == me);
        CHECK(first.owner()->label() == "tx-7");
        auto const holders = co_await r.holders();
        REQUIRE(holders.size() == 1);
        CHECK(holders[0].label == "tx-7");
        CHECK(holders[0].id.starts_with(c.id()));

        a.commands();
        co_await third.release();
        co_await first.release();
        CHECK(a.commands().empty());
        CHECK(r.is_held());
        CHECK(second.valid());
        co_await second.release();
        CHECK_FALSE(r.is_held());
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("a reentrant lock is busy for other owners of the same process and of another one", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto mine = co_await reentrant_lock(c, "r", c.make_owner()).acquire();
        auto const other_owner = co_await reentrant_lock(c, "r", c.make_owner()).try_acquire();
        CHECK(other_owner.empty());
        auto const other_process = co_await reentrant_lock(d, "r", d.make_owner()).try_acquire();
        CHECK(other_process.empty());
        co_await mine.release();
        auto const after_release = co_await reentrant_lock(d, "r", d.make_owner()).try_acquire();
        CHECK_FALSE(after_release.empty());
    });
}

TEST_CASE("a second acquire of an owner that already waits completes as owner_in_use", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await d.ready();
        auto theirs = co_await mutex(d, "other").acquire();
        auto foreign = co_await reentrant_lock(d, "r", d.make_owner()).acquire();
        reentrant_lock r(c, "r", c.make_owner());
        lease got;
        a.spawn([&]() -> awaitable<void> { got = co_await r.acquire(); });
        co_await a.sleep(50ms);
        auto const second_acquire = co_await error_of(r.acquire(use_awaitable));
        CHECK(second_acquire == errc::owner_in_use);
        co_await foreign.release();
        co_await a.sleep(50ms);
        CHECK(got.valid());
    });
}

TEST_CASE("waiting tasks that share process_owner() acquire a reentrant lock together", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto foreign = co_await reentrant_lock(d, "r", d.make_owner()).acquire();
        reentrant_lock r(c, "r", c.process_owner());
        lease one, two;
        a.spawn([&]() -> awaitable<void> { one = co_await r.acquire(); });
        a.spawn([&]() -> awaitable<void> { two = co_await r.acquire(); });
        co_await a.sleep(50ms);
        CHECK(one.empty());
        co_await foreign.release();
        co_await a.sleep(50ms);
        CHECK(one.valid());
        CHECK(two.valid());
        CHECK(one.hold_count() == 2);
    });
}

TEST_CASE(
    "a longer re-entry extends the grant, and a shorter re-entry does not shorten the outer lease", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        reentrant_lock r(c, "r", c.make_owner());
        auto outer = co_await r.acquire({.lease = 1s});
        auto shorter = co_await r.acquire({.lease = 200ms});
        CHECK(validity(outer) > a.now() + 800ms);
        auto longer = co_await r.acquire({.lease = 5s});
        CHECK(validity(outer) < a.now() + 1s);
        CHECK(validity(longer) > a.now() + 4s);
        co_await a.sleep(3s);
        CHECK_FALSE(outer.valid());
        CHECK(longer.valid());
        CHECK(a.exists("r"));
        auto renewed = co_await r.acquire();
        co_await a.sleep(20s);
        CHECK_FALSE(longer.valid());
        CHECK(renewed.valid());
    });
}

TEST_CASE("an acquire after the lease was lost is a new grant, not a re-entry", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        reentrant_lock r(c, "r", c.make_owner());
        auto old = co_await r.acquire({.lease = 500ms});
        co_await a.sleep(1s);
        CHECK_FALSE(r.is_held());
        auto fresh = co_await r.acquire();
        CHECK(fresh.valid());
        CHECK_FALSE(old.valid());
        CHECK(fresh.hold_count() == 1);
        {
            auto const destroyed = std::move(old);
        }
        co_await a.sleep(100ms);
        CHECK(fresh.valid());
        CHECK(a.exists("r"));  // the old lease deletes only its own token
    });
}

TEST_CASE("a lock refuses an owner of another client, and make_owner() refuses an invalid label", "[reentrant_lock]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    CHECK_THROWS_AS(reentrant_lock(d, "r", c.make_owner()), std::invalid_argument);
    CHECK_THROWS_AS(c.make_owner(std::string(65, 'x')), std::invalid_argument);
    CHECK_THROWS_AS(c.make_owner("a\nb"), std::invalid_argument);
    CHECK(c.make_owner() != c.make_owner());
    CHECK(c.process_owner() == c.process_owner());
}

}  // namespace
}  // namespace holdfast::test
