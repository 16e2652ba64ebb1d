//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Nodes that announce addresses which cannot be reached, or that change their addresses, and the choice of messages.

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_kinds.hpp"
#include "support/live.hpp"
#include "support/proxy.hpp"
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

// Three nodes, of which each can be reached at two addresses, and announces one of them.
class moving_cluster {
public:
    static constexpr std::size_t size = 3;

    moving_cluster()
    {
        for (std::size_t i = 0; i != size; ++i)
            for (auto& p : addresses_[i])
                p = std::make_unique<proxy>(nodes_[i].socket_path());
    }
    proxy& address(std::size_t node, std::size_t which) { return *addresses_.at(node).at(which); }
    std::string url()
    {
        std::string all;
        for (auto const& a : addresses_)
            all += (all.empty() ? "redis+cluster://127.0.0.1:" : ",127.0.0.1:") + std::to_string(a[0]->port());
        return all;
    }
    bool announce(std::size_t node, std::uint16_t port)
    {
        return !nodes_[node].command({"CONFIG", "SET", "cluster-announce-port", std::to_string(port)}).is_error();
    }
    bool announce(std::size_t node, proxy const& at) { return announce(node, at.port()); }
    // Whether all nodes name that address.
    bool name(proxy const& at)
    {
        for (std::size_t i = 0; i != size; ++i) {
            auto const slots = nodes_[i].command({"CLUSTER", "SLOTS"});
            bool const has_it = std::ranges::any_of(
                slots.items, [&](auto const& range) { return range.items.at(2).items.at(1).integer == at.port(); });
            if (!has_it)
                return false;
        }
        return true;
    }
    // The node is at its other address, as a container that was replaced.
    awaitable<void> replace(std::size_t node)
    {
        address(node, 0).refuse();
        address(node, 0).cut(true);
        CHECK(announce(node, address(node, 1)));
        CHECK(co_await comes_true([&] { return name(address(node, 1)); }));
    }

private:
    server_cluster nodes_{size};
    std::array<std::array<std::unique_ptr<proxy>, 2>, size> addresses_;
};

TEST_CASE("all nodes change their addresses one after the other, and every lock goes on", "[live][cluster]")
{
    moving_cluster cluster;
    for (std::size_t i = 0; i != cluster.size; ++i)
        if (!cluster.announce(i, cluster.address(i, 0)))
            SKIP("a server that cannot change what it announces");
    live l;
    l.run([&]() -> awaitable<void> {
        for (std::size_t i = 0; i != cluster.size; ++i)
            CHECK(co_await comes_true([&] { return cluster.name(cluster.address(i, 0)); }));
        auto& holder = l.client(cluster.url());
        auto& waiter = l.client(cluster.url());
        std::vector<std::string> const tags{"{a}", "{b}", "{c}"};
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(holder, tags))
            held.push_back(co_await lock.acquire());
        std::size_t granted = 0;
        for (auto& lock : locks_of_all_kinds(waiter, tags))
            l.spawn([&granted, lock]() -> awaitable<void> {
                auto const own = co_await lock.acquire();
                ++granted;
            });
        co_await sleep_for(1s);
        for (std::size_t i = 0; i != cluster.size; ++i) {
            co_await cluster.replace(i);
            co_await sleep_for(2s);
        }
        co_await sleep_for(10s);  // of the lease time: each was renewed at its new address
        CHECK(std::ranges::all_of(held, [](lease const& each) { return each.valid(); }));
        // Only reads share their lock.
        CHECK(granted == tags.size());
        auto config = live::quick("redis+cluster://127.0.0.1:" + std::to_string(cluster.address(0, 1).port()));
        auto& late = l.client(config);
        for (auto const& tag : tags)
            CHECK_FALSE((co_await mutex(late, tag + "-m").try_acquire()).valid());
        for (auto& each : held)
            co_await each.release();
        CHECK(co_await comes_true([&] { return granted == held.size(); }));
        for (auto const& tag : tags)
            co_await (co_await mutex(late, tag + "-m").acquire()).release();
    });
}

TEST_CASE("a node that announces a wrong address is found when the announcement is corrected", "[live][cluster]")
{
    moving_cluster cluster;
    auto& wrong = cluster.address(2, 0);
    wrong.refuse();
    for (std::size_t i = 0; i != cluster.size; ++i)
        if (!cluster.announce(i, cluster.address(i, 0)))
            SKIP("a server that cannot change what it announces");
    live l;
    l.run([&]() -> awaitable<void> {
        CHECK(co_await comes_true([&] { return cluster.name(wrong); }));
        auto& c = l.client(cluster.url());
        std::size_t granted = 0;
        for (auto const* const tag : {"{a}", "{b}", "{c}"})
            l.spawn([&granted, &c, tag]() -> awaitable<void> {
                auto const own = co_await mutex(c, tag).acquire();
                ++granted;
            });
        CHECK(co_await comes_true([&] { return granted == 2; }));
        co_await sleep_for(1s);
        CHECK(granted == 2);
        CHECK(cluster.announce(2, cluster.address(2, 1)));
        CHECK(co_await comes_true([&] { return granted == 3; }, 20s));
    });
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
