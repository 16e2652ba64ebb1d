//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What users of reentrant locks in other libraries rely on, as the tests of those libraries show it: on the in-process
// server and on a real one.

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/cancel_after.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using clock = std::chrono::steady_clock;

redis_server& the_server()
{
    static redis_server server;
    return server;
}

// Two clients of one server, as two processes would be.
class two_clients {
public:
    explicit two_clients(std::chrono::milliseconds lease = 10s)
        : is_real_(GENERATE(false, true)),
          url_(is_real_ ? real_url() : "memory://one"),
          a(loop.client(options(lease))),
          b(loop.client(options(lease)))
    {}

    bool is_real() const noexcept { return is_real_; }

private:
    static std::string real_url()
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        the_server().command({"FLUSHALL"});
        return the_server().url();
    }

    config options(std::chrono::milliseconds lease) const
    {
        auto c = live::quick(url_);
        c.lease = lease;
        return c;
    }

    bool is_real_;
    std::string url_;

public:
    live loop;
    client& a;
    client& b;
};

awaitable<bool> is_free_for(client& c, std::string name)
{
    auto const got = co_await reentrant_lock(c, name, c.make_owner()).try_acquire();
    co_return !got.empty();
}

awaitable<std::chrono::milliseconds> remaining(reentrant_lock lock)
{
    auto const holders = co_await lock.holders();
    co_return holders.empty() ? -2ms : holders.front().remaining;
}

TEST_CASE("the hold count goes up with each acquire and down with each release", "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto first = co_await lock.acquire();
        CHECK(first.hold_count() == 1);
        co_await first.release();
        CHECK(first.hold_count() == 0);
        CHECK_FALSE(lock.is_held());

        auto outer = co_await lock.acquire();
        auto inner = co_await lock.acquire();
        CHECK(outer.hold_count() == 2);
        co_await inner.release();
        CHECK(outer.hold_count() == 1);
        CHECK(lock.is_held());
        auto const early = co_await is_free_for(t.b, "r");
        CHECK_FALSE(early);
        co_await outer.release();
        CHECK_FALSE(lock.is_held());
        auto const late = co_await is_free_for(t.b, "r");
        CHECK(late);
    });
}

TEST_CASE(
    "is_held() is true for the owner only, and is_locked() and holders() show the hold to others",
    "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const mine(t.a, "r", t.a.make_owner());
        reentrant_lock const beside(t.a, "r", t.a.make_owner());
        reentrant_lock const theirs(t.b, "r", t.b.make_owner());
        auto const before = co_await theirs.is_locked();
        CHECK_FALSE(before);
        auto held = co_await mine.acquire();
        CHECK(mine.is_held());
        CHECK_FALSE(beside.is_held());
        CHECK_FALSE(theirs.is_held());
        auto const meanwhile = co_await theirs.is_locked();
        CHECK(meanwhile);
        auto const holders = co_await theirs.holders();
        REQUIRE(holders.size() == 1);
        CHECK(holders.front().id.starts_with(t.a.id()));
        co_await held.release();
        auto const after = co_await theirs.is_locked();
        CHECK_FALSE(after);
    });
}

TEST_CASE(
    "the remaining time is the lease time, and re-entries and their releases do not shorten it",
    "[conformance][reentrant_lock]")
{
    two_clients t(30s);
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto hour = co_await lock.acquire({.lease = 1h});
        auto left = co_await remaining(lock);
        CHECK((left > 59min && left <= 1h));
        co_await hour.release();
        left = co_await remaining(lock);
        CHECK(left == -2ms);

        auto renewed = co_await lock.acquire();
        left = co_await remaining(lock);
        CHECK((left > 20s && left <= 30s));
        auto shorter = co_await lock.acquire({.lease = 5s});
        auto longer = co_await lock.acquire({.lease = 1h});
        co_await longer.release();
        co_await shorter.release();
        left = co_await remaining(lock);
        CHECK(left > 20s);
    });
}

TEST_CASE("renewals do not shorten a lease time that is longer than the renewed one", "[conformance][reentrant_lock]")
{
    two_clients t(3s);
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto renewed = co_await lock.acquire();
        auto longer = co_await lock.acquire({.lease = 10min});
        co_await sleep_for(3s);  // renewals come meanwhile
        auto const left = co_await remaining(lock);
        CHECK(left > 9min);
    });
}

TEST_CASE("a lock that was acquired three times and released twice is still renewed", "[conformance][reentrant_lock]")
{
    two_clients t(3s);
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto first = co_await lock.acquire();
        auto second = co_await lock.acquire();
        auto third = co_await lock.acquire();
        co_await third.release();
        co_await first.release();
        co_await sleep_for(5s);
        CHECK(second.valid());
        auto const free = co_await is_free_for(t.b, "r");
        CHECK_FALSE(free);
    });
}

TEST_CASE("an acquire with a bounded wait ends without a lease after that time", "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        auto const held = co_await reentrant_lock(t.b, "r", t.b.make_owner()).acquire();
        auto const begin = clock::now();
        auto const got = co_await reentrant_lock(t.a, "r", t.a.make_owner()).try_acquire({.wait = 1s});
        auto const taken = clock::now() - begin;
        CHECK(got.empty());
        CHECK(taken > 990ms);
        CHECK(taken < 5s);
        CHECK(t.a.stats().waiting == 0);
    });
}

TEST_CASE(
    "a waiter is granted the lock when a fixed lease ends, and the late release ends as lease_lost",
    "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        auto old = co_await reentrant_lock(t.a, "r", t.a.make_owner()).acquire({.lease = 700ms});
        auto const end = old.valid_until();
        reentrant_lock const lock(t.b, "r", t.b.make_owner());
        auto next = co_await lock.acquire();
        CHECK(clock::now() >= end);
        CHECK_FALSE(old.valid());
        auto const ec = co_await failure_of(old.release(use_awaitable));
        CHECK(ec == errc::lease_lost);
        CHECK(next.valid());
        CHECK(lock.is_held());
    });
}

TEST_CASE("the lock of a stopped client is free after its lease time", "[conformance][reentrant_lock]")
{
    two_clients t(1s);
    t.loop.run([&]() -> awaitable<void> {
        auto const held = co_await reentrant_lock(t.a, "r", t.a.make_owner()).acquire();
        t.a.stop();
        auto const next = co_await reentrant_lock(t.b, "r", t.b.make_owner()).try_acquire({.wait = time_limit});
        CHECK(next.valid());
        CHECK_FALSE(held.valid());
    });
}

TEST_CASE("a cancelled acquire leaves neither a lock nor a renewal", "[conformance][reentrant_lock]")
{
    two_clients t(600ms);
    t.loop.run([&]() -> awaitable<void> {
        auto held = co_await reentrant_lock(t.b, "r", t.b.make_owner()).acquire();
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto const ec = co_await failure_of(lock.acquire(asio::cancel_after(100ms, use_awaitable)));
        CHECK(ec == asio::error::operation_aborted);
        co_await held.release();
        co_await sleep_for(1500ms);
        auto const locked = co_await lock.is_locked();
        CHECK_FALSE(locked);
        CHECK_FALSE(lock.is_held());
    });
}

TEST_CASE(
    "a waiter is granted the lock although the unlock message was lost with its connection",
    "[conformance][reentrant_lock]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    the_server().command({"FLUSHALL"});
    live loop;
    auto options = live::quick(the_server().url());
    options.lease = options.poll_interval = 5min;
    auto& a = loop.client(options);
    auto& b = loop.client(options);
    loop.run([&]() -> awaitable<void> {
        auto held = co_await reentrant_lock(b, "r", b.make_owner()).acquire();
        lease got;
        reentrant_lock(a, "r", a.make_owner()).acquire([&](error_code, lease l) { got = std::move(l); });
        auto const subscribed = [] { return !the_server().command({"PUBSUB", "CHANNELS"}).items.empty(); };
        auto const waits = co_await comes_true(subscribed);
        CHECK(waits);
        the_server().command({"CLIENT", "KILL", "TYPE", "pubsub"});
        co_await held.release();
        auto const entered = co_await comes_true([&] { return got.valid(); });
        CHECK(entered);
    });
}

TEST_CASE("a forced release frees the lock, and its holder's lease is lost", "[conformance][reentrant_lock]")
{
    two_clients t(900ms);
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner());
        auto held = co_await lock.acquire();
        auto const there = co_await reentrant_lock(t.b, "r", t.b.make_owner()).force_release();
        CHECK(there);
        auto const again = co_await reentrant_lock(t.b, "r", t.b.make_owner()).force_release();
        CHECK_FALSE(again);
        auto const free = co_await is_free_for(t.b, "r");
        CHECK(free);
        auto const why = co_await held.lost();
        CHECK(why == loss::key_missing);
        auto const ec = co_await failure_of(held.release(use_awaitable));
        CHECK(ec == errc::lease_lost);
    });
}

TEST_CASE("fencing tokens grow with every grant, but not with a re-entry", "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        std::uint64_t last = 0;
        for (int i = 0; i < 6; ++i) {
            auto& c = i % 2 ? t.a : t.b;
            reentrant_lock const lock(c, "r", c.make_owner(), {.fencing = true});
            auto held = co_await lock.try_acquire();
            REQUIRE(held.fencing_token());
            auto inner = co_await lock.try_acquire();
            CHECK(inner.fencing_token() == held.fencing_token());
            CHECK(*held.fencing_token() > last);
            last = *held.fencing_token();
            co_await inner.release();
            co_await held.release();
        }
    });
}

TEST_CASE(
    "a fenced lock is busy for its fixed lease time, and is granted to a waiter after that",
    "[conformance][reentrant_lock]")
{
    two_clients t;
    t.loop.run([&]() -> awaitable<void> {
        reentrant_lock const lock(t.a, "r", t.a.make_owner(), {.fencing = true});
        auto const held = co_await lock.acquire({.lease = 2s});
        reentrant_lock const other(t.b, "r", t.b.make_owner(), {.fencing = true});
        auto const busy = co_await other.try_acquire();
        CHECK(busy.empty());
        auto const left = co_await remaining(lock);
        CHECK(left <= 2s);
        auto const next = co_await other.try_acquire({.wait = time_limit});
        CHECK(next.valid());
    });
}

// Tasks that increment a number that only the lock protects.
struct counting {
    std::vector<client*> clients;
    std::vector<std::string> names;
    int rounds;

    std::vector<int> counts = std::vector<int>(names.size());
    int running = 0;
    int wrong = 0;

    awaitable<void> one(std::size_t task)
    {
        auto& c = *clients[task % clients.size()];
        auto const which = task / clients.size() % names.size();
        reentrant_lock const lock(c, names[which], c.make_owner());
        for (int i = 0; i < rounds; ++i) {
            auto held = co_await lock.acquire();
            auto const before = counts[which];
            co_await asio::post(use_awaitable);
            wrong += held.state() != lease_state::held;
            counts[which] = before + 1;
            co_await held.release();
        }
        --running;
    }

    bool run(live& loop, int tasks)
    {
        running = tasks;
        for (int i = 0; i < tasks; ++i)
            loop.spawn(one(static_cast<std::size_t>(i)));
        return loop.until([&] { return running == 0; }, 4 * time_limit);
    }
};

TEST_CASE("many tasks of two clients increment a number without a lost update", "[conformance][reentrant_lock]")
{
    two_clients t;
    counting all{{&t.a, &t.b}, {"r"}, 25};
    CHECK(all.run(t.loop, 32));
    CHECK(all.counts == std::vector{32 * 25});
    CHECK(all.wrong == 0);
}

TEST_CASE("thousands of waiters for five locks are all granted, and leave no channel", "[conformance][reentrant_lock]")
{
    two_clients t;
    counting all{{&t.a, &t.b}, {"r1", "r2", "r3", "r4", "r5"}, 1};
    CHECK(all.run(t.loop, 5'000));
    CHECK(all.counts == std::vector(5, 1'000));
    CHECK(all.wrong == 0);
    if (t.is_real())
        CHECK(t.loop.until([] { return the_server().command({"PUBSUB", "CHANNELS"}).items.empty(); }));
}

}  // namespace
}  // namespace holdfast::test
