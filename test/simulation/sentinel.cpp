//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Clients behind simulated sentinels: planned failovers of a master that is well and goes on serving, sentinels that
// hang, and a client that starts later, as the witness. HOLDFAST_SEEDS is the number of contests.

#include <chrono>
#include <string>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "session/sentinels.hpp"
#include "simulation/arena.hpp"
#include "simulation/contest.hpp"
#include "support/simulated_sentinels.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// A master with two replicas 5 ms away, and three sentinels: the one that leads a failover learns of the promotion after
// 200 ms, the others a second later.
struct watched_arena : arena {
    watched_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}})
    {
        use_sentinels(sentinels.names());
    }

    static holdfast::config acknowledged()
    {
        auto c = quick();
        c.acknowledged_by = 1;
        return c;
    }
    // No announcement arrives: only questions are left.
    void lose_announcements()
    {
        for (unsigned i = 0; i != sentinels.count(); ++i)
            sentinels.sentinel(i).faults.drop_push = 1;
    }
    // The time until that client has another connection to a master.
    awaitable<core::duration> switch_over(holdfast::client& c)
    {
        auto const before = c.stats().connections;
        auto const began = now();
        while (c.stats().connections == before && now() - began < 1min)
            co_await sleep(5ms);
        co_return now() - began;
    }
    static bool has(simulated_server& s, std::string_view key) { return s.execute({"EXISTS", key}).integer == 1; }

    replicated_server servers{simulated(), "redis", {.replicas = 2, .lag = {5ms, 5ms}, .resync = {100ms, 100ms}}};
    simulated_sentinels sentinels{simulated(), servers, 3, {.notice = {200ms, 200ms}, .gossip = {1s, 1s}}};
};

TEST_CASE_METHOD(
    watched_arena, "a planned failover: a client follows the sentinel that announces it", "[simulated_sentinel]")
{
    auto& c = client();
    run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "a").acquire();
        co_await sleep(100ms);  // the replica has it
        REQUIRE(sentinels.fail_over(10s));
        auto const took = co_await switch_over(c);
        CHECK(took <= 220ms);
        auto& later = client("B");
        CHECK((co_await mutex(later, "a").try_acquire()).empty());
        auto mine = co_await mutex(later, "b").acquire();
        CHECK((co_await mutex(c, "b").try_acquire()).empty());
        CHECK_FALSE(has(servers.server(0), "b"));
        CHECK(has(servers.primary(), "b"));
        co_await sleep(5s);
        CHECK(held.valid());
        co_await held.release();
        co_await mine.release();
        co_await sleep(10s);  // the former master follows
    }());
    CHECK(c.stats().lost == 0);
}

TEST_CASE_METHOD(
    watched_arena, "a client that two of three sentinels leave without an answer is served", "[simulated_sentinel]")
{
    sentinels.sentinel(0).pause();
    sentinels.sentinel(1).pause();
    auto& c = client();
    run([&]() -> awaitable<void> {
        auto const began = now();
        auto held = co_await mutex(c, "a").acquire();
        CHECK(now() - began <= session::sentinels::grace + 20ms);
        co_await sleep(100ms);  // the replica has it
        REQUIRE(sentinels.fail_over(10s));
        auto const took = co_await switch_over(c);
        CHECK(took <= session::sentinels::grace + 220ms);
        CHECK(has(servers.primary(), "a"));
        co_await held.release();
        sentinels.sentinel(0).resume();
        sentinels.sentinel(1).resume();
        co_await sleep(3s);  // they name the new master, too
        CHECK(c.stats().connections == 2);
        auto again = co_await mutex(c, "a").acquire();
        co_await again.release();
    }());
}

TEST_CASE_METHOD(
    watched_arena, "a former master that is silent is left although no announcement comes", "[simulated_sentinel]")
{
    lose_announcements();
    auto& c = client();
    run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await sleep(1s);
        servers.primary().pause();
        co_await sleep(50ms);
        REQUIRE(sentinels.fail_over(10s));
        auto const began = now();
        auto held = co_await mutex(c, "a").acquire();
        CHECK(now() - began <= 600ms);  // 250 ms of silence
        CHECK(has(servers.primary(), "a"));
        co_await held.release();
        servers.server(0).resume();
    }());
}

// The replica has received what the master did not confirm any more. The lease would keep it there for a minute.
TEST_CASE_METHOD(
    watched_arena,
    "what a former master has granted without an answer is given back at the new one",
    "[simulated_sentinel]")
{
    auto& c = client();
    run([&]() -> awaitable<void> {
        co_await c.ready();
        auto held = co_await mutex(c, "held").acquire({.lease = 1min});
        auto& former = servers.primary();
        former.faults.lose_reply = 1;
        bool is_over = false, is_granted = false;
        mutex(c, "a").try_acquire({.wait = 100ms, .lease = 1min}, [&](error_code, lease l) {
            is_over = true;
            is_granted = !l.empty();
        });
        co_await sleep(20ms);
        former.pause();
        held = lease();  // the former master does not execute this release
        REQUIRE(sentinels.fail_over(1min));
        REQUIRE(has(servers.primary(), "a"));
        REQUIRE(has(servers.primary(), "held"));
        co_await switch_over(c);
        co_await sleep(100ms);
        CHECK(is_over);
        CHECK_FALSE(is_granted);
        CHECK_FALSE(has(servers.primary(), "a"));
        CHECK_FALSE(has(servers.primary(), "held"));
        auto& later = client("B");
        CHECK_FALSE((co_await mutex(later, "a").try_acquire({.lease = 5s})).empty());
    }());
}

// A master that serves its clients without replicas: the answer of the sentinels ends that, not the interval of a second.
TEST_CASE_METHOD(
    watched_arena, "what replicas do not acknowledge leads to a question to the sentinels", "[simulated_sentinel]")
{
    lose_announcements();
    auto& c = client("A", acknowledged());
    run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "a").acquire();
        co_await held.release();
        for (int i = 0; i != 20; ++i) {
            auto const former = servers.primary().name();
            REQUIRE(sentinels.fail_over(10s));
            co_await sleep(205ms);
            auto const began = now();
            auto again = co_await mutex(c, "a").acquire();
            CHECK(now() - began <= 900ms);
            CHECK(servers.primary().name() != former);
            CHECK(has(servers.primary(), "a"));
            co_await again.release();
            co_await sleep(12s);  // the former master follows the new one
        }
    }());
    CHECK(c.stats().lost == 0);
}

contest_options watched_contest(unsigned acknowledged_by)
{
    return {
        .processes = 4,
        .contenders = 2,
        .rounds = 10,
        .kind = {},
        .longest_hold = 400ms,
        .replicas = 2,
        .fail_overs = 3,
        .sentinels = 3,
        .hung_sentinels = 3,
        .latest_start = 8s,
        .unaware = {0ms, 10s},
        .config = {
            .lease = 2'000ms, .command_timeout = 500ms, .poll_interval = 1'000ms, .acknowledged_by = acknowledged_by}};
}

TEST_CASE("acknowledged locks keep exclusion over planned failovers", "[simulated_sentinel_contest]")
{
    run_contests(watched_contest(1), seeds_or(150));
}

TEST_CASE("acknowledged read-write locks keep exclusion over planned failovers", "[simulated_sentinel_contest]")
{
    auto o = watched_contest(1);
    o.kind = contested_kind::read_write;
    run_contests(o, seeds_or(50));
}

TEST_CASE(
    "acknowledged locks keep exclusion over planned failovers when the network is bad, too",
    "[simulated_sentinel_contest]")
{
    auto o = watched_contest(1);
    o.cancel = 0.2;
    o.pause = 0.3;
    o.faults = {.lose_request = 0.005, .lose_reply = 0.01, .delay_request = 0.01, .disconnect = 0.01};
    run_contests(o, seeds_or(50));
}

// The negative control: the failovers of these contests break locks that are not acknowledged.
TEST_CASE("locks that are not acknowledged overlap after some planned failovers", "[simulated_sentinel_contest]")
{
    bool has_overlap = false;
    for (std::uint64_t seed = 1; seed <= 200 && !has_overlap; ++seed) {
        auto o = watched_contest(0);
        o.kind = contested_kind::mutex;
        o.seed = seed;
        auto const result = run_contest(o);
        has_overlap = result.fault && result.fault->find("overlap") != std::string::npos;
    }
    CHECK(has_overlap);
}

}  // namespace
}  // namespace holdfast::test
