//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A cluster of simulated servers: sessions to its nodes, the time that news take, and what the client of a member sees.

#include "support/simulated_cluster.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

TEST_CASE("the primaries of a simulated cluster have all hash slots, in equal parts", "[simulated_cluster]")
{
    simulation sim(1);
    simulated_cluster cluster(sim, {.primaries = 4});
    CHECK(cluster.node(0).model().slots().size() == 4);
    for (std::uint16_t slot = 0; slot != core::hash_slots; ++slot)
        REQUIRE(cluster.model().primary_of(slot) == cluster.names()[slot / 4096]);
    CHECK(cluster.server_of("foo").execute({"SET", "foo", "1"}).text == "OK");
    CHECK(cluster.server_of("foo").name() == "node-2");
}

TEST_CASE("the other nodes learn of a moved slot after the time that gossip takes", "[simulated_cluster]")
{
    simulation sim(7);
    simulated_cluster cluster(sim, {.gossip = {100ms, 200ms}});
    auto const redirection = [&] { return cluster.node(0).execute({"GET", "foo"}).text; };
    CHECK(redirection() == "MOVED 12182 node-2:6379");
    cluster.move("foo", 1);
    CHECK(cluster.node(2).execute({"GET", "foo"}).text == "MOVED 12182 node-1:6379");
    sim.world().run_for(99ms);
    CHECK(redirection() == "MOVED 12182 node-2:6379");
    sim.world().run_for(101ms);
    CHECK(redirection() == "MOVED 12182 node-1:6379");
}

// A session to a node of a cluster is refused until clients know clusters, so the test listens at the model.
struct subscriber final : simulated::peer {
    void on_push(simulated::value const& v) override { received.push_back(to_string(v)); }
    void on_kill() override {}
    std::vector<std::string> received;
};

TEST_CASE("a published message reaches a subscriber at another node after a while", "[simulated_cluster]")
{
    subscriber s;  // until the simulation ends its connection
    simulation sim(3);
    simulated_cluster cluster(sim, {.bus = {1ms, 2ms}});
    auto& model = cluster.node(1).model();
    auto const id = model.connect(s);
    std::vector<std::string_view> const words{"SUBSCRIBE", "news"};
    model.execute(id, words, 0);
    s.received.clear();
    cluster.node(0).execute({"PUBLISH", "news", "x"});
    CHECK(s.received.empty());
    sim.world().run_for(2ms);
    CHECK(s.received.size() == 1);
}

TEST_CASE("news that are under way when a cluster ends do not arrive", "[simulated_cluster]")
{
    simulation sim(1);
    {
        simulated_cluster cluster(sim);
        cluster.move("foo", 0);
    }
    sim.world().run_for(1s);
    CHECK(sim.server("node-1").execute({"GET", "foo"}).text == "MOVED 12182 node-2:6379");
}

TEST_CASE("any slot may move at any time, and in the end all nodes agree", "[simulated_cluster]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        simulation sim(seed);
        simulated_cluster cluster(sim);
        for (int i = 0; i != 30; ++i) {
            cluster.move_any();
            sim.world().run_for(20ms);
        }
        sim.world().run_for(1s);
        auto const& first = cluster.node(0).model().slots();
        for (unsigned n = 1; n != 3; ++n)
            CHECK(std::ranges::equal(cluster.node(n).model().slots(), first, [](auto const& x, auto const& y) {
                return x.first == y.first && x.last == y.last && x.primary == y.primary;
            }));
    }
}

TEST_CASE("the client of one member of a cluster is refused", "[simulated_cluster]")
{
    arena a;
    simulated_cluster cluster(a.simulated());
    auto& c = a.client("A", arena::quick(), "node-1");
    a.run([&]() -> awaitable<void> { CHECK(co_await error_of(mutex(c, "m0").acquire()) == errc::protocol); });
    CHECK(c.last_failure().message.find("a Redis Cluster of 3 primaries") != std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
