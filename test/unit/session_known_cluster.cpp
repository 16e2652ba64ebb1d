//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "session/known_cluster.hpp"
#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_known_cluster_test {

using namespace std::chrono_literals;
using enum known_cluster::answer;

core::instant const start{1h};

core::cluster_map view(std::vector<std::string> const& primaries, std::vector<std::string> const& replicas = {})
{
    core::cluster_map v;
    for (auto const& id : primaries)
        v.primaries.push_back({id, "h", 1});
    for (auto const& id : replicas)
        v.replicas.push_back({id, "h", 1});
    return v;
}

TEST_CASE("known cluster: the first map is accepted, and then those that name one of its nodes", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a", "b"}, {"c"}), start) == accepted);
    CHECK(known.judge(view({"b", "d"}), start) == accepted);
    CHECK(known.judge(view({"e"}, {"d"}), start) == accepted);  // the replica e was promoted
    CHECK(known.judge(view({"a"}), start) == refused);
}

TEST_CASE("known cluster: a replica of the last map may be the only node that is left", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a"}, {"c"}), start) == accepted);
    CHECK(known.judge(view({"c"}), start) == accepted);
}

TEST_CASE("known cluster: another cluster is used when no known node has told its slots for 30 s", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a"}), start) == accepted);
    CHECK(known.judge(view({"x"}), start + 1h) == refused);
    CHECK(known.judge(view({"x"}), start + 1h + 29s) == refused);
    CHECK(known.judge(view({"a"}), start + 1h + 29s) == accepted);
    CHECK(known.judge(view({"x"}), start + 1h + 31s) == refused);  // the time begins anew
    CHECK(known.judge(view({"y"}), start + 1h + 61s) == replaced);
    CHECK(known.judge(view({"y"}), start + 1h + 62s) == accepted);
    CHECK(known.judge(view({"a"}), start + 1h + 63s) == refused);
}

TEST_CASE("known cluster: nodes without ids cannot be told apart", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({""}), start) == accepted);
    CHECK(known.judge(view({"a"}), start) == accepted);
    CHECK(known.judge(view({""}), start) == accepted);
}

// A session to the seeds of a cluster, open.
struct seeds : scenario {
    seeds() : scenario(0, {}, purpose::seed)
    {
        greet_until_slots("run");
        tell("a");
        server().take();
        events.clear();
    }

    void greet_until_slots(std::string const& run)
    {
        server().hello_of_member(7, "7.0.15");
        server().info(run);
    }
    // The node of that id has all slots.
    void tell(std::string_view id)
    {
        auto const number = [](std::int64_t n) { return engine::reply{engine::reply::kind::integer, n, {}, {}}; };
        std::vector<engine::reply> const node{text("10.0.0.1"), number(6379), text(id)};
        std::vector<engine::reply> const range{
            number(0), number(16383), {.type = engine::reply::kind::array, .items = node}};
        std::vector<engine::reply> const all{{.type = engine::reply::kind::array, .items = range}};
        server().events.lock()->on_reply({.type = engine::reply::kind::array, .items = all});
    }
};

TEST_CASE("session: a seed that tells the slots of another cluster is left", "[session][cluster]")
{
    seeds s;
    s->request_slots();
    s.turn();
    s.tell("a");
    CHECK(s.events.empty());
    s->request_slots();
    s.turn();
    s.tell("x");
    CHECK(s.server().is_closed);
    CHECK(s.events == lines{"closed: fake: the seed belongs to another cluster than the one that the client uses"});
}

TEST_CASE("session: a seed of another cluster is not opened, and the next one is tried", "[session][cluster]")
{
    seeds s;
    s.server().end();
    s.advance(1s);
    s.events.clear();
    s.greet_until_slots("another run");
    s.tell("x");
    CHECK(s.server().is_closed);
    CHECK(s.events == lines{"closed: fake: the seed belongs to another cluster than the one that the client uses"});
    s.advance(1s);
    s.greet_until_slots("a third run");
    s.tell("a");
    CHECK(s->is_open());
}

}  // namespace session_known_cluster_test
}  // namespace holdfast::session
