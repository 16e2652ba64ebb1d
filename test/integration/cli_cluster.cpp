//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The tool at a server in cluster mode.

#include <signal.h>
#include <string>

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
    "cli: run, status and release work at a cluster of several primaries, other commands refuse", "[cli][cluster]")
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
    for (auto const* verb : {"doctor", "list", "dashboard"}) {
        CHECK(run_tool(cluster.url(), {verb}, &output) == 64);
        CHECK_THAT(
            output,
            ContainsSubstring(
                "--url: a cluster can only be given to holdfast run, release, and status without --json"));
    }
}
