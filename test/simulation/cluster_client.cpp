//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A client of a Redis Cluster of three primaries: what it does when hash slots move or a primary is replaced.

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/cluster_client_arena.hpp"
#include "support/tenure_of.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

TEST_CASE("a client of a cluster is ready when it knows the slots, and connects to a primary on demand", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.c().ready();
        CHECK(a.slots_requests == 1);
        CHECK(a.c().stats().connected == 1);
        auto const held = co_await mutex(a.c(), "{a}").acquire();
        CHECK(a.has(2, "{a}"));
        CHECK(a.c().stats().connected == 2);
    });
}

TEST_CASE("MOVED is followed at once, before any other node knows of it", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        a.cluster.move("{a}", 1);
        auto const start = a.now();
        auto const held = co_await mutex(a.c(), "{a}").acquire();
        CHECK(a.now() - start < 10ms);
        CHECK(a.has(1, "{a}"));
    });
}

TEST_CASE("a release after the move of its slot follows MOVED at once", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        a.cluster.move("{a}", 1);
        auto const start = a.now();
        co_await held.release();
        CHECK(a.now() - start < 10ms);
        CHECK_FALSE(a.has(1, "{a}"));
    });
}

TEST_CASE("a lock that a former primary has granted is not held", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        // The answer of node-2 takes so long that node-0 tells of its successor before.
        a.server("node-2").network.delay = {200ms, 200ms};
        a.world().at(a.now() + 210ms, [&] { a.replace_primary_of("{a}", 1); });
        auto const held = co_await mutex(a.c(), "{a}").acquire();
        CHECK(held.valid());
        CHECK(a.has(1, "{a}"));
    });
}

// It executes what lies in its socket before it learns of its successor, which does not know of the extension.
TEST_CASE("an extension that a former primary has confirmed does not count", "[cluster][failover]")
{
    cluster_client_arena a({.replicas = 3, .replication = {}, .gossip = {1ms, 1ms}, .bus = {1ms, 1ms}});
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        a.cluster.fail_over(2, 50ms, 400ms);
        co_await error_of(held.extend(30s));
        co_await a.sleep(100ms);
        CHECK(held.valid());
        auto const left = std::chrono::milliseconds(a.server("node-5").execute({"PTTL", "{a}"}).integer);
        CHECK(tenure_of(held).valid_until() <= a.now() + left + 1ms);
    });
}

TEST_CASE("a primary that is silent leads to the question for the slots, at a limited pace", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        a.server("node-2").pause();
        auto const before = a.slots_requests;
        a.spawn([&]() -> awaitable<void> { co_await error_of(mutex(a.c(), "{a}").try_acquire({.wait = 5s})); });
        co_await a.sleep(300ms);
        CHECK(a.slots_requests == before + 1);
        co_await a.sleep(9700ms);
        // Every 250 ms: what a frozen primary answers when it wakes counts until the client knows its successor.
        CHECK(a.slots_requests > before + 25);
        CHECK(a.slots_requests < before + 65);
        a.server("node-2").resume();
        co_await a.sleep(1s);
    });
}

TEST_CASE("a primary that does not answer the greeting leads to the question for the slots", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.c().ready();
        a.server("node-2").pause();
        auto const before = a.slots_requests;
        lease held;
        a.spawn([&]() -> awaitable<void> { held = co_await mutex(a.c(), "{a}").acquire(); });
        co_await a.sleep(300ms);
        CHECK(a.slots_requests == before + 1);
        a.replace_primary_of("{a}", 1);
        co_await a.sleep(1s);
        CHECK(held.valid());
        a.server("node-2").resume();
    });
}

TEST_CASE("a lease whose key the new primary does not have is lost when the client learns of it", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        a.replace_primary_of("{a}", 1);
        auto const other = co_await mutex(a.c(), "{a}:other").acquire();  // meets MOVED
        co_await a.sleep(10ms);
        CHECK_FALSE(held.valid());
        CHECK(other.valid());
    });
}

TEST_CASE("a client does not connect to a node that has left the cluster", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto& all = a.cluster.model();
        auto const first = core::hash_slots * 2 / 3;
        all.assign(static_cast<std::uint16_t>(first), core::hash_slots - 1, "node-1");
        a.server("node-2").restart(true, 1h);
        co_await a.sleep(5s);
        auto const questions = a.slots_requests;
        CHECK(a.c().stats().connected == 3);  // of node-2 none; node-0 is also the seed
        co_await a.sleep(40s);
        CHECK(a.slots_requests <= questions + 1);
    });
}

TEST_CASE("a client that has lost its seed does not follow a seed of another cluster", "[cluster]")
{
    cluster_client_arena a;
    simulated_cluster other(a.simulated(), {.prefix = "other-"});
    auto& c = a.make_cluster_client("B", {"node-0", "other-0"});
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all(c);
        auto const held = co_await mutex(c, "{a}").acquire();
        a.server("node-0").restart(true, 1h);
        co_await a.sleep(10s);
        CHECK(held.valid());
        auto const next = co_await mutex(c, "{a}:next").acquire();
        CHECK((a.exists("{a}:next", "node-2") && !a.exists("{a}:next", "other-2")));
    });
    CHECK(std::ranges::any_of(a.logged(), [](auto const& line) { return line.find("another cluster") != line.npos; }));
}

// The server may still read from it (rule 8).
TEST_CASE("the first connection to a node that has got slots again ends the last one", "[cluster]")
{
    cluster_client_arena a({.gossip = {1ms, 1ms}, .bus = {1ms, 1ms}});
    int kills = 0;
    a.server("node-2").check([&](executed const& e) { kills += e.what.args.size() > 1 && e.what.args[1] == "KILL"; });
    auto const use = [&]() -> awaitable<void> { co_await (co_await mutex(a.c(), "{a}").acquire()).release(); };
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        a.cluster.model().assign(10'922, 16'383, "node-1");
        co_await use();
        co_await a.sleep(1s);
        a.server("node-2").model().disconnect_all();
        co_await a.sleep(1s);
        CHECK(kills == 0);
        a.cluster.model().assign(10'922, 16'383, "node-2");
        co_await use();
        CHECK(kills == 1);
    });
}

TEST_CASE("many commands at a former primary lead to one question at a time", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        std::vector<lease> held;
        for (int i = 0; i < 100; ++i)
            held.push_back(co_await mutex(a.c(), "{a}:" + std::to_string(i)).acquire());
        auto const before = a.slots_requests;
        a.cluster.move("{a}", 1);
        for (auto& l : held)
            co_await l.release();
        CHECK(a.slots_requests <= before + 3);
    });
}

TEST_CASE("slots that change all the time are asked for at most ten times in a second", "[cluster]")
{
    cluster_client_arena a({.gossip = {1ms, 1ms}, .bus = {1ms, 1ms}});
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto const before = a.slots_requests;
        auto const from = a.now();
        for (unsigned i = 0; i < 100; ++i) {
            a.cluster.move("{a}", i % 2);
            a.cluster.move("{c}", i % 3);  // of which only a seed tells
            co_await (co_await mutex(a.c(), "{a}").acquire()).release();
            co_await a.sleep(20ms);
        }
        auto const seconds = std::chrono::duration<double>(a.now() - from).count();
        CHECK(a.slots_requests - before > 5 * seconds);
        CHECK(a.slots_requests - before < 10 * seconds);
    });
}

TEST_CASE("a lock of a moved slot needs no answer of the seed", "[cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        a.server("node-0").pause();
        a.cluster.move("{a}", 1);
        auto const start = a.now();
        auto const held = co_await mutex(a.c(), "{a}").acquire();  // MOVED is enough
        CHECK(a.now() - start < 10ms);
        co_await a.sleep(1s);
        a.server("node-0").resume();
        co_await a.sleep(5s);
        CHECK(held.valid());
    });
}

}  // namespace
}  // namespace holdfast::test
