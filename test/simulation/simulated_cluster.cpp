//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A cluster of simulated servers: sessions to its nodes, the time that news take, and what the client of a member sees.

#include "support/simulated_cluster.hpp"

#include <algorithm>
#include <initializer_list>
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

// node-0 has the slot of "bar", and node-3 is its replica.
struct replicated_cluster {
    explicit replicated_cluster(span_of_time replication)
        : cluster(sim, {.replicas = 1, .replication = replication, .gossip = {1ms, 1ms}})
    {}

    std::string say(unsigned node, std::initializer_list<std::string_view> words)
    {
        return to_string(cluster.node(node).execute(words));
    }

    simulation sim{1};
    simulated_cluster cluster;
};

TEST_CASE("a replica takes over the slots of its primary, and what it has received", "[simulated_cluster][failover]")
{
    replicated_cluster c({10ms, 10ms});
    c.say(0, {"SET", "bar", "received"});
    c.sim.world().run_for(10ms);
    c.say(0, {"SET", "bar", "lost"});
    c.cluster.fail_over(0, 1s, 1s);
    c.sim.world().run_for(999ms);
    CHECK(c.cluster.server_of("bar").name() == "node-0");
    c.sim.world().run_for(2ms);
    CHECK(c.cluster.server_of("bar").name() == "node-3");
    CHECK(c.say(3, {"GET", "bar"}) == "\"received\"");
    CHECK(c.say(1, {"GET", "bar"}) == "-MOVED 5061 node-3:6379");
    REQUIRE(c.cluster.failovers().size() == 1);
    auto const& f = c.cluster.failovers().front();
    CHECK((f.lost_writes && f.slots[5061] && !f.slots[12182]));
}

TEST_CASE("without a delay of the replication a failover loses nothing", "[simulated_cluster][failover]")
{
    replicated_cluster c({});
    c.say(0, {"SET", "bar", "1"});
    c.cluster.fail_over(0, 1s, 1s);
    c.sim.world().run_for(1s);
    CHECK(c.say(3, {"GET", "bar"}) == "\"1\"");
    CHECK_FALSE(c.cluster.failovers().front().lost_writes);
}

TEST_CASE("a former primary executes commands until it has noticed its successor", "[simulated_cluster][failover]")
{
    replicated_cluster c({});
    c.cluster.fail_over(0, 1s, 1s);
    CHECK_FALSE(c.cluster.is_former_primary("node-0"));
    c.sim.world().run_for(2001ms);
    CHECK(c.cluster.is_former_primary("node-0"));
    CHECK(c.say(0, {"SET", "bar", "late"}) == "OK");
    CHECK(c.say(3, {"GET", "bar"}) == "nil");
    c.sim.world().run_for(10ms);
    CHECK_FALSE(c.cluster.is_former_primary("node-0"));
    CHECK(c.say(0, {"GET", "bar"}) == "-MOVED 5061 node-3:6379");
    CHECK(c.say(0, {"DBSIZE"}) == "0");
}

TEST_CASE(
    "a slot moves to and from the successor of a primary, not while that is stopped", "[simulated_cluster][failover]")
{
    replicated_cluster c({});
    c.cluster.fail_over(0, 1s, 1s);
    c.cluster.move("bar", 1);
    c.cluster.move("foo", 0);
    c.cluster.move_slowly("bar", 1, 1s);
    CHECK(c.cluster.server_of("bar").name() == "node-0");
    CHECK(c.cluster.server_of("foo").name() == "node-2");
    CHECK_FALSE(c.cluster.model().has_half_moved("node-0"));
    c.sim.world().run_for(1s);
    c.cluster.move_on("bar");
    c.cluster.move_on("foo");
    CHECK(c.cluster.server_of("bar").name() == "node-1");
    CHECK(c.cluster.server_of("foo").name() == "node-3");
}

TEST_CASE("a primary with a half-moved slot does not fail over", "[simulated_cluster][failover]")
{
    replicated_cluster c({});
    c.cluster.move_slowly("bar", 1, 1s);
    c.cluster.fail_over(0, 1s, 1s);
    c.sim.world().run_for(2s);
    CHECK(c.cluster.failovers().empty());
    CHECK(c.cluster.server_of("bar").name() == "node-1");
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
