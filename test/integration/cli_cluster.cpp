//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The tool at a server in cluster mode.

#include <set>
#include <signal.h>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "dashboard_tool.hpp"
#include "support/cluster_node.hpp"
#include "support/server_cluster.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("cli: all commands work at the only node of a cluster", "[cli][cluster]")
{
    cluster_node server{"appendonly yes"};
    REQUIRE(server.add_slots(16383, "ok"));
    std::string output;
    CHECK(run_tool(server, {"doctor"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("ok    mode            Redis Cluster") && ContainsSubstring("ok    access"));
    CHECK_THAT(output, ContainsSubstring("ok    several slots   no: only the locks of one hash slot"));
    CHECK_THAT(output, ContainsSubstring("ok    CLUSTER SLOTS   a member of a larger cluster is refused"));
    CHECK(server.command({"DBSIZE"}).integer == 0);

    tool holds(server, {"run", "nightly", "--", "sleep", "60"});
    REQUIRE(eventually([&] { return has_key(server, "nightly"); }));
    CHECK(run_tool(server, {"status", "nightly"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("nightly"));
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("nightly"));
    holds.send(SIGTERM);
    holds.wait();
    CHECK_FALSE(has_key(server, "nightly"));
}

TEST_CASE("cli: a member of a larger cluster is named as the reason", "[cli][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(8191, "fail"));
    for (auto const* verb : {"doctor", "list"}) {
        std::string output;
        CHECK(run_tool(server, {verb}, &output) == 69);
        CHECK_THAT(output, ContainsSubstring("which redis:// cannot use"));
    }
}

TEST_CASE("cli: run, status and release work at a cluster of several primaries", "[cli][cluster]")
{
    server_cluster cluster;
    std::string output;
    tool holds(cluster.url(), {"run", "nightly", "--", "sleep", "60"});
    auto& server = cluster[cluster.primary_of("nightly")];
    REQUIRE(eventually([&] { return has_key(server, "nightly"); }));
    CHECK(run_tool(cluster.url(), {"status", "nightly"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("nightly"));
    CHECK(run_tool(cluster.url(), {"status", "nightly", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("kind":"mutex")"));
    CHECK(run_tool(cluster.url(), {"release", "nightly", "--force"}, &output) == 0);
    CHECK_FALSE(has_key(server, "nightly"));
    holds.send(SIGTERM);
    holds.wait();
}

TEST_CASE("cli: the tool shows semaphores, elections and latches of a cluster", "[cli][cluster]")
{
    server_cluster cluster;
    std::string output;
    tool permits(cluster.url(), {"run", "gpus", "--permits", "2", "--", "sleep", "100"});
    tool leader(cluster.url(), {"elect", "boss", "--value", "here", "--", "sleep", "100"});
    auto& of_latch = cluster[cluster.primary_of("start")];
    of_latch.command({"SET", "start", "2", "PX", "60000"});
    of_latch.command({"SET", "holdfast_latch:{start}", "1", "PX", "60000"});
    REQUIRE(eventually([&] { return has_key(cluster[cluster.primary_of("gpus")], "gpus"); }));
    REQUIRE(eventually([&] { return has_key(cluster[cluster.primary_of("boss")], "boss"); }));
    CHECK(run_tool(cluster.url(), {"status", "gpus"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: 1 of 2 permits held"));
    CHECK(run_tool(cluster.url(), {"status", "boss"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("boss: here ("));
    CHECK(run_tool(cluster.url(), {"status", "start"}, &output) == 0);
    CHECK(output == "start: a latch, 2 left to count\n");
    CHECK(run_tool(cluster.url(), {"list", "--json"}, &output) == 0);
    for (auto const* kind : {"semaphore", "election", "latch"})
        CHECK_THAT(output, ContainsSubstring(R"("kind":")" + std::string(kind) + '"'));
}

TEST_CASE(
    "cli dashboard: shows the locks of all primaries of a cluster, and follows a slot that moves", "[cli][cluster]")
{
    server_cluster cluster;
    dashboard_tool d(cluster.url());
    tool holds(cluster.url(), {"run", "nightly", "--", "sleep", "100"});
    REQUIRE(eventually([&] { return has_key(cluster[cluster.primary_of("nightly")], "nightly"); }));
    tool waits(cluster.url(), {"run", "nightly", "--", "true"});
    REQUIRE(d.shows("nightly"));
    CHECK(eventually([&] { return d.lock("nightly").at("waiting").as_int64() == 1; }));
    constexpr auto token = "0b1c2d3e-0000-4000-8000-000000000001:17";
    for (int i = 0; i < 30; ++i) {
        auto const name = "order:" + std::to_string(i) + ".";
        cluster[cluster.primary_of(name)].command({"SET", name, token, "PX", "60000"});
    }
    CHECK(eventually([&] { return d.locks().at("locks").as_array().size() == 31; }));

    // Nobody else names these locks, so it is the dashboard that is redirected. It might learn of a move otherwise,
    // when a reply is late and it asks for the slots: then another lock moves.
    int moved = 0;
    for (auto const before = cluster.errors("MOVED"); moved < 5 && cluster.errors("MOVED") == before; ++moved) {
        auto const name = "order:" + std::to_string(moved) + ".";
        cluster.move(name, (cluster.primary_of(name) + 1) % cluster.size());
        cluster[cluster.primary_of(name)].command({"DEL", name});
        CHECK(eventually([&] { return d.lock(name).is_null(); }));
        CHECK(cluster.errors("MOVED") - before <= 3);
    }
    CHECK(cluster.errors("MOVED") > 0);
    CHECK(d.locks().at("locks").as_array().size() == 31u - static_cast<unsigned>(moved));
}

TEST_CASE(
    "cli dashboard: a primary that does not answer is named, and the locks of the others are shown", "[cli][cluster]")
{
    server_cluster cluster;
    constexpr auto token = "0b1c2d3e-0000-4000-8000-000000000001:17";
    auto const set = [&](std::string const& name) {
        cluster[cluster.primary_of(name)].command({"SET", name, token, "PX", "600000"});
    };
    for (int i = 0; i < 30; ++i)
        set("order:" + std::to_string(i) + ".");
    dashboard_tool d(cluster.url());
    REQUIRE(eventually([&] { return d.locks().at("locks").as_array().size() == 30; }));
    auto const silent = "127.0.0.1:" + std::to_string(cluster[1].port());
    auto const silent_ones = [&] { return d.locks().at("survey").at("silent").as_array(); };
    CHECK(silent_ones().empty());
    cluster[1].freeze();
    REQUIRE(eventually([&] { return silent_ones().size() == 1; }));
    CHECK(silent_ones().at(0).as_string() == silent);
    CHECK(d.locks().at("survey").at("connected").as_bool());
    CHECK(d.locks().at("locks").as_array().size() == 30);
    std::string fresh;
    for (int i = 30; fresh.empty(); ++i)
        if (auto const name = "order:" + std::to_string(i) + "."; cluster.primary_of(name) == 2)
            fresh = name;
    set(fresh);
    CHECK(d.shows(fresh));
    cluster[1].thaw();
    CHECK(eventually([&] { return silent_ones().empty(); }));
    CHECK(d.locks().at("locks").as_array().size() == 31);
}

TEST_CASE("cli: list, status and the dashboard go on after a failover", "[cli][cluster]")
{
    server_cluster cluster(3, server_cluster::replicas::one_each);
    dashboard_tool d(cluster.url());
    tool holds(cluster.url(), {"run", "nightly", "--", "sleep", "100"});
    auto const lost = cluster.primary_of("nightly");
    REQUIRE(d.shows("nightly"));
    REQUIRE(eventually([&] { return has_key(cluster[lost], "nightly"); }));
    cluster[lost].command({"WAIT", "1", "1000"});
    cluster[lost].kill();
    auto& promoted = cluster.replica_of(lost);
    REQUIRE(eventually([&] { return cluster.is_primary(promoted); }));
    constexpr auto token = "0b1c2d3e-0000-4000-8000-000000000001:17";
    REQUIRE(eventually([&] { return promoted.command({"SET", "{nightly}2", token, "PX", "600000"}).text == "OK"; }));
    CHECK(d.shows("{nightly}2"));
    CHECK(eventually([&] { return d.locks().at("survey").at("silent").as_array().empty(); }));
    std::string output;
    CHECK(eventually([&] { return run_tool(cluster.url(), {"list"}, &output) == 0; }));
    CHECK_THAT(output, ContainsSubstring("nightly: ") && ContainsSubstring("{nightly}2: "));
    CHECK(run_tool(cluster.url(), {"status", "nightly"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("nightly"));
    holds.send(SIGTERM);
    holds.wait();
}

TEST_CASE("cli list: the locks of all primaries of a cluster are printed, each once", "[cli][cluster]")
{
    server_cluster cluster;
    constexpr auto token = "0b1c2d3e-0000-4000-8000-000000000001:17";
    std::set<std::size_t> primaries;
    for (int i = 0; i < 30; ++i) {
        auto const name = "order:" + std::to_string(i) + ".";
        primaries.insert(cluster.primary_of(name));
        cluster[cluster.primary_of(name)].command({"SET", name, token, "PX", "60000"});
    }
    REQUIRE(primaries.size() == cluster.size());
    cluster.move("order:7.", (cluster.primary_of("order:7.") + 1) % cluster.size());

    std::string output;
    CHECK(run_tool(cluster.url(), {"list", "order:*"}, &output) == 0);
    CHECK(count_of(output, "\n") == 30);
    for (int i = 0; i < 30; ++i)
        CHECK(count_of(output, "order:" + std::to_string(i) + ".: held by " + token) == 1);
    CHECK(run_tool(cluster.url(), {"list", "order:*", "--json"}, &output) == 0);
    CHECK(count_of(output, R"("kind":"mutex")") == 30);
    CHECK(run_tool(cluster.url(), {"list", "order:7.*"}, &output) == 0);
    CHECK(count_of(output, "\n") == 1);
}
