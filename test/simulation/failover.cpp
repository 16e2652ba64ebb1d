//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A replica is promoted that has not received the last writes: what the clients had released is there again.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/cluster_client_arena.hpp"
#include "support/all_kinds.hpp"
#include "support/replicated_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// A replica that receives each write 200 ms later, and three clients.
struct late_replica : arena {
    late_replica() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) {}

    static constexpr auto lag = 200ms;
    // For what the clients have done to arrive at the replica.
    awaitable<void> replicate() { co_await sleep(2 * lag); }
    // How long a new acquire waits, at most, if nothing is in its way: the clients connect again, and attempts are
    // spread over time.
    static constexpr auto soon = 1s;

    awaitable<void> hold_once(any_lock lock)
    {
        auto held = co_await lock.acquire();
        co_await held.release();
        ++ended;
    }
    // How long the lock is not granted.
    awaitable<core::duration> time_of(any_lock lock)
    {
        auto const start = now();
        auto held = co_await lock.acquire();
        auto const took = now() - start;
        co_await held.release();
        co_return took;
    }

    int ended = 0;
    replicated_server servers{simulated(), "redis", {.lag = {lag, lag}, .resync = {100ms, 100ms}}};
    holdfast::client& a = client("A");
    holdfast::client& b = client("B");
    holdfast::client& c = client("C");
};

using maker = std::function<any_lock(client&)>;
struct kind_of_lock {
    std::string name;
    maker make;
};

std::vector<kind_of_lock> exclusive_kinds()
{
    return {
        {"mutex", [](client& c) -> any_lock { return mutex(c, "m"); }},
        {"fenced mutex", [](client& c) -> any_lock { return mutex(c, "mf", {.fencing = true}); }},
        {"reentrant lock", [](client& c) -> any_lock { return reentrant_lock(c, "r", c.make_owner()); }},
        {"fair lock", [](client& c) -> any_lock { return fair_lock(c, "f"); }},
        {"fenced fair lock", [](client& c) -> any_lock { return fair_lock(c, "ff", {.fencing = true}); }},
        {"write", [](client& c) -> any_lock { return read_write_lock(c, "rw").write(); }},
        {"semaphore", [](client& c) -> any_lock { return semaphore(c, "s", {.permits = 1}); }},
        {"fair semaphore", [](client& c) -> any_lock { return semaphore(c, "sf", {.permits = 1, .fair = true}); }},
        {"numbered semaphore",
         [](client& c) -> any_lock { return semaphore(c, "sn", {.permits = 1, .numbered = true}); }},
    };
}

TEST_CASE_METHOD(late_replica, "a lock that was released before a failover is free at the new primary", "[failover]")
{
    run([this]() -> awaitable<void> {
        for (auto const& kind : exclusive_kinds()) {
            INFO(kind.name);
            auto held = co_await kind.make(a).acquire();
            ended = 0;
            spawn(hold_once(kind.make(b)), "B");
            co_await replicate();
            // The waiter is granted the lock and releases it, and the replica learns of neither.
            co_await held.release();
            while (ended == 0)
                co_await sleep(1ms);
            REQUIRE(servers.fail_over());
            auto const took = co_await time_of(kind.make(c));
            CHECK(took < soon);
            co_await replicate();
        }
    }());
}

TEST_CASE_METHOD(late_replica, "a place that its waiter left before a failover delays nobody", "[failover]")
{
    run([this]() -> awaitable<void> {
        for (auto const& kind : exclusive_kinds()) {
            INFO(kind.name);
            auto held = co_await kind.make(a).acquire();
            ended = 0;
            auto waits = [this](any_lock lock) -> awaitable<void> {
                auto const got = co_await lock.try_acquire({.wait = 3 * lag});
                CHECK(got.empty());
                ++ended;
            };
            spawn(waits(kind.make(b)), "B");
            co_await replicate();
            while (ended == 0)
                co_await sleep(1ms);
            co_await sleep(10ms);  // the primary has removed the place
            REQUIRE(servers.fail_over());
            co_await sleep(1s);  // all clients are connected again
            co_await held.release();
            auto const took = co_await time_of(kind.make(c));
            CHECK(took < soon);
            co_await replicate();
        }
    }());
}

TEST_CASE_METHOD(late_replica, "reads that ended before a failover keep no writer out", "[failover]")
{
    run([this]() -> awaitable<void> {
        auto first = co_await read_write_lock(a, "rw").read().acquire();
        auto second = co_await read_write_lock(b, "rw").read().acquire();
        co_await replicate();
        co_await first.release();
        co_await second.release();
        REQUIRE(servers.fail_over());
        auto const took = co_await time_of(read_write_lock(c, "rw").write());
        CHECK(took < soon);
    }());
}

TEST_CASE_METHOD(late_replica, "a leader that resigned before a failover has a successor at once", "[failover]")
{
    run([this]() -> awaitable<void> {
        election first(a, "boss"), second(b, "boss"), third(c, "boss");
        auto me = co_await first.campaign("a");
        ended = 0;
        auto leads_once = [&]() -> awaitable<void> {
            auto mine = co_await second.campaign("b");
            co_await mine.resign();
            ++ended;
        };
        spawn(leads_once(), "B");
        co_await replicate();
        co_await me.resign();
        while (ended == 0)
            co_await sleep(1ms);
        REQUIRE(servers.fail_over());
        auto const start = now();
        auto next = co_await third.campaign("c");
        CHECK(now() - start < soon);
        co_await next.resign();
    }());
}

TEST_CASE_METHOD(late_replica, "a release that is repeated ends no later hold of its client", "[failover]")
{
    run([this]() -> awaitable<void> {
        auto const me = a.make_owner();
        std::vector<any_lock> mine, others;
        for (auto const& kind : exclusive_kinds()) {
            mine.push_back(kind.make(a));
            others.push_back(kind.make(c));
        }
        mine.emplace_back(reentrant_lock(a, "own", me));
        others.emplace_back(reentrant_lock(c, "own", c.make_owner()));
        mine.emplace_back(read_write_lock(a, "own-rw", {}).write());
        others.emplace_back(read_write_lock(c, "own-rw", {}).write());
        std::vector<lease> held;
        for (auto const& lock : mine) {
            co_await time_of(lock);
            held.push_back(co_await lock.acquire());
        }
        held.back() = co_await held.back().downgrade(use_awaitable);
        co_await replicate();
        REQUIRE(servers.fail_over());
        co_await sleep(4s);  // longer than a lease time
        for (std::size_t i = 0; i != mine.size(); ++i) {
            INFO(mine[i].name());
            CHECK(held[i].valid());
            auto const got = co_await others[i].try_acquire();
            CHECK(got.empty());
            co_await held[i].release();
        }
    }());
}

TEST_CASE_METHOD(late_replica, "a lock that stays taken after its release stays so after a failover", "[failover]")
{
    run([this]() -> awaitable<void> {
        auto held = co_await mutex(a, "a").acquire({.at_least = 2s});
        auto const start = now();
        co_await replicate();
        co_await held.release();
        REQUIRE(servers.fail_over());
        auto const result = co_await error_of(mutex(c, "a").acquire());
        CHECK(!result);
        CHECK(now() - start >= 2s);
        CHECK(now() - start < 2s + soon);
    }());
}

// As after a failover to a replica that has the grant, but not its release.
TEST_CASE_METHOD(
    cluster_client_arena, "in a cluster a release is repeated at the new primary of its slot", "[failover][cluster]")
{
    run([this]() -> awaitable<void> {
        co_await visit_all();
        auto held = co_await mutex(c(), "{a}").acquire();
        auto const token = cluster.server_of("{a}").execute({"GET", "{a}"}).text;
        co_await held.release();
        auto const next = (cluster.number_of("{a}") + 1) % 3;
        replace_primary_of("{a}", next);
        cluster.node(next).execute({"SET", "{a}", token, "PX", "30000"});
        auto const start = now();
        auto again = co_await mutex(c(), "{a}").acquire();
        CHECK(now() - start < 1s);
        co_await again.release();
    }());
}

// Its data is of a moment before the release.
TEST_CASE_METHOD(
    cluster_client_arena,
    "in a cluster a release is repeated at a node that has older data and another address",
    "[failover][cluster][address]")
{
    run([this]() -> awaitable<void> {
        co_await visit_all();
        auto held = co_await mutex(c(), "{a}").acquire();
        auto const token = cluster.server_of("{a}").execute({"GET", "{a}"}).text;
        co_await held.release();
        cluster.replace_container(2, 200ms, simulated_cluster::former_address::refuses);
        cluster.server_of("{a}").execute({"SET", "{a}", token, "PX", "30000"});
        auto const start = now();
        auto again = co_await mutex(c(), "{a}").acquire();
        CHECK(now() - start < 3s);
        co_await again.release();
    }());
}

}  // namespace
}  // namespace holdfast::test
