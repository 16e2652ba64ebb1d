//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// redis+cluster:// to several primaries: all kinds of locks, while connections are lost and hash slots move.

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/acknowledged.hpp"
#include "support/all_kinds.hpp"
#include "support/all_leases.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Hash tags, so that a test moves the locks of one tag together. Each of the three primaries has one of them at least.
std::vector<std::string> const tags{"{a}", "{b}", "{c}", "{d}", "{e}"};

awaitable<std::vector<lease>> acquire_all(client& c)
{
    std::vector<lease> held;
    for (auto const& l : locks_of_all_kinds(c, tags))
        held.push_back(co_await l.acquire());
    co_return held;
}

awaitable<void> release_all(std::vector<lease>& held)
{
    for (auto& l : held) {
        error_code ec;
        co_await l.release(redirect(ec));
        CHECK_FALSE(ec);
    }
}

void move_tags(server_cluster& cluster)
{
    for (auto const& t : tags)
        cluster.move_on(t);
}

TEST_CASE("a cluster of three primaries serves all kinds of locks over reconnections", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& c = l.client(cluster.url());
    l.run([&]() -> awaitable<void> {
        auto held = co_await acquire_all(c);
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            cluster[i].command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
            co_await sleep_for(1500ms);
            CHECK(are_valid(held));
        }
        co_await release_all(held);
    });
    CHECK(c.stats().lost == 0);
    CHECK(cluster.errors("CROSSSLOT") == 0);
    CHECK(cluster.errors("MOVED") == 0);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("leases of all kinds outlast the moves of their hash slots", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.lease = 6s;
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> {
        auto held = co_await acquire_all(c);
        for (std::size_t round = 0; round < cluster.size(); ++round) {
            move_tags(cluster);
            co_await sleep_for(2500ms);  // more than a third of the lease time
            CHECK(are_valid(held));
        }
        co_await release_all(held);
    });
    CHECK(c.stats().lost == 0);
    CHECK(cluster.errors("CROSSSLOT") == 0);
    CHECK(cluster.errors("MOVED") > 0);
    // One question at a time, however many commands were sent to a former primary.
    CHECK(cluster.slots_requests() < 60);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("a release after the move of a hash slot wakes its waiter", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& holds = l.client(cluster.url());
    auto& waits = l.client(cluster.url());
    l.run([&]() -> awaitable<void> {
        auto const first = locks_of_all_kinds(holds, {"{a}", "{b}"});
        auto const second = locks_of_all_kinds(waits, {"{a}", "{b}"});
        for (std::size_t i = 0; i < first.size(); ++i) {
            auto held = co_await first[i].acquire();
            bool granted = false;
            l.spawn([&]() -> awaitable<void> {
                auto const mine = co_await second[i].acquire();
                granted = true;
            });
            co_await sleep_for(20ms);
            auto const* const tag = i < first.size() / 2 ? "{a}" : "{b}";
            cluster.move(tag, (cluster.primary_of(tag) + 1) % cluster.size());
            co_await held.release();
            CHECK(co_await comes_true([&] { return granted; }));
        }
    });
    CHECK(cluster.errors("CROSSSLOT") == 0);
}

// ---- failover

// Waits until the replica of that primary serves its slots, and then for more than a renewal of each lease.
awaitable<void> await_failover(server_cluster& cluster, std::size_t primary)
{
    CHECK(co_await comes_true([&] { return cluster.is_primary(cluster.replica_of(primary)); }));
    co_await sleep_for(7s);
}

TEST_CASE("leases of all kinds outlast the end of a primary whose replica has their keys", "[live][cluster]")
{
    server_cluster cluster(3, server_cluster::replicas::one_each);
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.lease = 15s;
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> {
        auto held = co_await acquire_all(c);
        co_await sleep_for(1s);  // the replicas have all keys
        cluster[0].kill();
        co_await await_failover(cluster, 0);
        CHECK(are_valid(held));
        co_await release_all(held);
        held = co_await acquire_all(c);
        co_await release_all(held);
    });
    CHECK(c.stats().lost == 0);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

// Its replica has all grants without a pause. The lease time is that of docs/acknowledgement.md.
TEST_CASE(
    "with acknowledged_by leases outlast a primary that ends right after the grants, and nobody else gets their locks",
    "[live][cluster][acknowledgement]")
{
    server_cluster cluster(3, server_cluster::replicas::one_each);
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.lease = 15s;
    cfg.acknowledged_by = 1;
    auto& c = l.client(cfg);
    auto& other = l.client(live::quick(cluster.url()));
    l.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(c, tags))
            held.push_back(co_await acquire_acknowledged(lock));
        cluster.kill(cluster[0]);
        CHECK(co_await comes_true([&] { return cluster.is_primary(cluster.replica_of(0)); }));
        cluster.await_promotion(0);
        cluster.replica_of(0).restart();  // without it the new primary would have no replica that can acknowledge
        co_await sleep_for(16s);
        CHECK(are_valid(held));
        for (auto const& lock : locks_of_all_kinds(other, tags)) {
            auto const taken = co_await lock.try_acquire();
            CHECK(taken.empty() == !lock.name().ends_with("-rd"));  // readers share
        }
        co_await release_all(held);
    });
    CHECK(c.stats().lost == 0);
}

TEST_CASE(
    "leases outlast a primary that does not answer any more, and it grants nothing when it wakes", "[live][cluster]")
{
    server_cluster cluster(3, server_cluster::replicas::one_each);
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.lease = 15s;
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> {
        auto held = co_await acquire_all(c);
        co_await sleep_for(1s);
        cluster[1].freeze();
        co_await await_failover(cluster, 1);
        cluster[1].thaw();
        CHECK(are_valid(held));
        co_await sleep_for(2s);
        CHECK(are_valid(held));
        co_await release_all(held);
    });
    CHECK(c.stats().lost == 0);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

// ---- bad input

TEST_CASE("a seed that does not answer is not needed", "[live][cluster]")
{
    server_cluster cluster;
    cluster[0].freeze();
    live l;
    auto& c = l.client("redis+cluster://127.0.0.1:1," + cluster.url().substr(std::string("redis+cluster://").size()));
    l.run([&]() -> awaitable<void> {
        co_await c.ready();
        CHECK((co_await mutex(c, "{c}").is_locked()) == false);
    });
    cluster[0].thaw();
}

// MOVED, ASK and CLUSTER SLOTS name only ports.
server_cluster::node_options without_host(std::size_t)
{
    return {.lines = {"cluster-preferred-endpoint-type unknown-endpoint"}};
}

TEST_CASE("nodes that tell no host are reached at the host of the node that was asked", "[live][cluster]")
{
    if (redis_server().info("redis_version").front() == '6')
        SKIP("a server that always tells its host");
    server_cluster cluster(3, server_cluster::replicas::none, without_host);
    live l;
    auto& c = l.client(cluster.url());
    auto const next = [&](std::string const& name) { return (cluster.primary_of(name) + 1) % cluster.size(); };
    l.run([&]() -> awaitable<void> {
        auto moved = co_await mutex(c, "{a}").acquire();
        cluster.move("{a}", next("{a}"));
        co_await moved.release();
        CHECK(cluster.errors("MOVED") > 0);

        auto open = co_await mutex(c, "{b}").acquire();
        auto const to = next("{b}");
        cluster.begin_move("{b}", to, {"{b}"});
        co_await open.release();
        auto asked = co_await mutex(c, "{b}:new").acquire();
        CHECK(cluster.errors("ASK") > 1);
        co_await asked.release();
        cluster.end_move("{b}", to);
    });
    CHECK(c.stats().lost == 0);
    CHECK(l.lines_with("no connection to") == 0);
}

TEST_CASE("the URL of a cluster is refused by a standalone server", "[live][cluster]")
{
    redis_server server;
    live l;
    auto& c = l.client("redis+cluster://127.0.0.1:" + std::to_string(server.port()));
    l.run([&]() -> awaitable<void> {
        CHECK(co_await failure_of(mutex(c, "m").acquire()) == errc::protocol);
        CHECK(c.last_failure().message.find("write redis://") != std::string::npos);
        co_await sleep_for(3s);
    });
    CHECK(server.calls("hello") <= 4);
    CHECK(server.calls("set") == 0);
    CHECK(l.lines_with("no connection to") == 1);
}

}  // namespace
}  // namespace holdfast::test
