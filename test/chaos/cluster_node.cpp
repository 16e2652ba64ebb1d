//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Locks of every kind at the only node of a cluster, in many hash slots, while their connection is closed again and
// again: no lease is lost because of slots. HOLDFAST_CHAOS_SECONDS is the time with faults.

#include "support/cluster_node.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/all_kinds.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr auto node_lease = 10s;

// Each in a slot of its own, but for those of two names with the same tag.
std::vector<std::string> names_in_slots()
{
    std::vector<std::string> all{"{tag}:a", "{tag}:b"};
    for (char c = 'a'; c <= 'k'; ++c)
        all.emplace_back(1, c);
    return all;
}

awaitable<void> close_connections(cluster_node& server, std::vector<lease> const& held, int& closed)
{
    auto const end = std::chrono::steady_clock::now() + chaos_time();
    while (std::chrono::steady_clock::now() < end) {
        server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        ++closed;
        co_await sleep_for(std::chrono::milliseconds(500 + 700 * (closed % 8)));
        CHECK(std::ranges::all_of(held, [](lease const& l) { return l.valid(); }));
    }
}

TEST_CASE("100 renewed locks at the only node of a cluster outlast reconnections", "[chaos][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(16383, "ok"));
    std::vector<lease> held;
    int closed = 0;
    live l;
    auto options = live::quick(server.url());
    options.lease = node_lease;
    auto& c = l.client(options);
    auto const body = [&]() -> awaitable<void> {
        for (auto const& lock : locks_of_all_kinds(c, names_in_slots()))
            held.push_back(co_await lock.acquire());
        co_await close_connections(server, held, closed);
        for (auto& each : held)
            co_await each.release();
    };
    l.run(body, chaos_time() + 120s);
    CHECK(held.size() >= 100);
    CHECK(c.stats().lost == 0);
    CHECK(server.info("errorstat_CROSSSLOT").empty());
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
    std::cout << "cluster node: " << held.size() << " locks, connection closed " << closed << " times, "
              << c.stats().lost << " leases lost" << std::endl;
}

}  // namespace
}  // namespace holdfast::test
