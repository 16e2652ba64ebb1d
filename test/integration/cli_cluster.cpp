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

TEST_CASE(
    "cli: run, status, list and release work at a cluster of several primaries, other commands refuse",
    "[cli][cluster]")
{
    server_cluster cluster;
    std::string output;
    tool holds(cluster.url(), {"run", "nightly", "--", "sleep", "60"});
    auto& server = cluster[cluster.primary_of("nightly")];
    REQUIRE(eventually([&] { return has_key(server, "nightly"); }));
    CHECK(run_tool(cluster.url(), {"status", "nightly"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("nightly"));
    CHECK(run_tool(cluster.url(), {"release", "nightly", "--force"}, &output) == 0);
    CHECK_FALSE(has_key(server, "nightly"));
    holds.send(SIGTERM);
    holds.wait();
    for (auto const& words : std::vector<std::vector<std::string>>{
             {"doctor"}, {"dashboard"}, {"list", "--json"}, {"status", "nightly", "--json"}}) {
        CAPTURE(words);
        CHECK(run_tool(cluster.url(), words, &output) == 64);
        CHECK_THAT(output, ContainsSubstring("--url: a cluster can only be given to holdfast run, release, and list"));
    }
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
    CHECK(run_tool(cluster.url(), {"list", "order:7.*"}, &output) == 0);
    CHECK(count_of(output, "\n") == 1);
}
