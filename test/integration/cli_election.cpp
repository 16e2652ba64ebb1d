//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// holdfast elect and holdfast leader.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

TEST_CASE("cli elect: the command runs while its process leads, with the term in its environment", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"leader", "boss"}, &output) == 0);
    CHECK(output == "boss: nobody leads\n");
    CHECK(
        run_tool(
            server,
            {"elect", "boss", "--value", "10.0.0.7:9000", "--", "sh", "-c", "echo $HOLDFAST_FENCING_TOKEN; exit 3"},
            &output)
        == 3);
    CHECK(std::stoull(output) > 0);
    CHECK_FALSE(has_key(server, "boss"));
    CHECK_FALSE(has_key(server, "holdfast_leader:{boss}"));
}

TEST_CASE("cli leader: shows the value and the term; another candidate does not lead", "[cli]")
{
    redis_server server;
    std::string output;
    // In the command of the leader: the tool sees it lead.
    std::string const tool(HOLDFAST_TOOL);
    auto const inner = tool + " leader boss && " + tool + " leader boss --json; " + tool
                       + " elect boss --wait 0 -- true; echo $?";
    CHECK(run_tool(server, {"elect", "boss", "--value", "here", "--", "sh", "-c", inner}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("boss: here ("));
    CHECK_THAT(output, ContainsSubstring(") leads, term "));
    CHECK_THAT(output, ContainsSubstring(R"({"name":"boss","leader":{"id":)"));
    CHECK_THAT(output, ContainsSubstring(R"("value":"here","term":)"));
    CHECK_THAT(output, ContainsSubstring("'boss' is led by another client"));
    CHECK_THAT(output, ContainsSubstring("75\n"));
}

TEST_CASE("cli elect: wrong usage", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"elect", "boss"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("holdfast elect NAME [OPTIONS] -- COMMAND"));
    CHECK(run_tool(server, {"elect", "boss", "--priority", "11", "--", "true"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--priority"));
    CHECK(run_tool(server, {"elect", "boss", "--value", std::string(5000, 'x'), "--", "true"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("value: must not have more than 4096 bytes"));
    server.command({"SET", "boss", "text"});
    CHECK(run_tool(server, {"leader", "boss"}, &output) != 0);
}

}  // namespace
