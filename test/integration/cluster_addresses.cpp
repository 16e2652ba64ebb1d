//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Nodes that announce addresses which cannot be reached, and the choice of messages.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_kinds.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

std::string announced(std::size_t node)
{
    return "primary-" + std::to_string(node) + ".invalid";
}

// The nodes announce host names that nobody can resolve. Among themselves they use their addresses.
server_cluster::node_options unreachable(std::size_t node)
{
    return {.lines = {"cluster-announce-hostname " + announced(node), "cluster-preferred-endpoint-type hostname"}};
}

TEST_CASE("nodes that announce an unreachable address are reached by config::node_address", "[live][cluster]")
{
    if (redis_server().info("redis_version").front() == '6')
        SKIP("a server that announces no host names");
    server_cluster cluster(3, server_cluster::replicas::none, unreachable);
    std::set<std::string> asked;
    auto options = live::quick(cluster.url());
    options.node_address = [&](std::string const& host, std::uint16_t port) {
        asked.insert(host);
        return node_endpoint{"127.0.0.1", port};
    };
    live l;
    auto& c = l.client(options);
    std::vector<std::string> const tags{"{a}", "{b}", "{c}"};
    l.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(c, tags))
            held.push_back(co_await lock.acquire());
        CHECK(asked.size() == 3);
        CHECK(asked.count("127.0.0.1") == 0);

        // MOVED and ASK name the announced hosts, too.
        for (auto const& t : tags)
            cluster.move(t, (cluster.primary_of(t) + 1) % cluster.size());
        auto open = co_await mutex(c, "{open}").acquire();
        auto const to = (cluster.primary_of("{open}") + 1) % cluster.size();
        cluster.begin_move("{open}", to, {"{open}"});
        bool const was_asked = co_await comes_true([&] { return cluster.errors("ASK") > 0; });
        CHECK(was_asked);
        co_await sleep_for(4s);  // all leases were renewed
        CHECK(std::ranges::all_of(held, [](lease const& each) { return each.valid(); }));
        CHECK(open.valid());
        co_await open.release();
        for (auto& each : held)
            co_await each.release();
    });
    CHECK(cluster.errors("MOVED") > 0);
    for (auto const& host : asked)
        CHECK((host == announced(0) || host == announced(1) || host == announced(2)));
}

TEST_CASE("config::sharded_messages = no: a release is announced by PUBLISH", "[live][cluster]")
{
    server_cluster cluster;
    auto options = live::quick(cluster.url());
    options.poll_interval = 60s;
    options.sharded_messages = sharded_messages::no;
    live l;
    auto& holder = l.client(options);
    auto& waiter = l.client(options);
    l.run([&]() -> awaitable<void> {
        auto held = co_await mutex(holder, "m").acquire({.lease = 60s});
        bool granted = false;
        l.spawn([&]() -> awaitable<void> {
            auto second = co_await mutex(waiter, "m").acquire();
            granted = second.valid();
            co_await second.release();
        });
        auto& server = cluster[cluster.primary_of("m")];
        while (server.command({"PUBSUB", "NUMSUB", "redisson_lock__channel:{m}"}).items.at(1).integer == 0)
            co_await sleep_for(5ms);
        auto const begun = std::chrono::steady_clock::now();
        co_await held.release();
        while (!granted)
            co_await sleep_for(5ms);
        CHECK(std::chrono::steady_clock::now() - begun < 30s);
        CHECK(server.calls("ssubscribe") == 0);
        CHECK(server.calls("spublish") == 0);
    });
}

}  // namespace
}  // namespace holdfast::test
