//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// holdfast elect and holdfast leader.

#include <signal.h>

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
    CHECK(run_tool(server, {"elect", "boss", "--value", "here", "--pass-url", "--", "sh", "-c", inner}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("boss: here ("));
    CHECK_THAT(output, ContainsSubstring(") leads, term "));
    CHECK_THAT(output, ContainsSubstring(R"({"name":"boss","leader":{"id":)"));
    CHECK_THAT(output, ContainsSubstring(R"("value":"here","term":)"));
    CHECK_THAT(output, ContainsSubstring("'boss' is led by another client"));
    CHECK_THAT(output, ContainsSubstring("75\n"));
}

// An election that this process leads for as long as the object exists.
class running_leader {
public:
    explicit running_leader(redis_server& server)
        : leader_(server, {"elect", "boss", "--value", "here", "--", "sleep", "100"})
    {
        REQUIRE(eventually([&] { return has_key(server, "holdfast_leader:{boss}"); }));
    }

private:
    tool leader_;
};

TEST_CASE("cli status, list: an election tells its leader", "[cli]")
{
    redis_server server;
    running_leader const leader(server);
    std::string output;
    for (auto const& words : {std::vector<std::string>{"status", "boss"}, {"list"}}) {
        CHECK(run_tool(server, words, &output) == 0);
        CHECK_THAT(output, ContainsSubstring("boss: here ("));
        CHECK_THAT(output, ContainsSubstring(") leads, term "));
        CHECK_THAT(output, ContainsSubstring("boss: held by "));
    }
    for (auto const& words : {std::vector<std::string>{"status", "boss", "--json"}, {"list", "--json"}}) {
        CHECK(run_tool(server, words, &output) == 0);
        CHECK_THAT(output, ContainsSubstring(R"("kind":"election")"));
        CHECK_THAT(output, ContainsSubstring(R"("value":"here")"));
    }
}

TEST_CASE("cli release: --force ends a leadership, and leaves its record, which counts for nothing", "[cli]")
{
    redis_server server;
    running_leader const leader(server);
    std::string output;
    CHECK(run_tool(server, {"release", "boss", "--force"}, &output) == 0);
    CHECK(output == "boss: released\n");
    CHECK(has_key(server, "holdfast_leader:{boss}"));  // it shows that the leader did not resign
    CHECK_FALSE(has_key(server, "boss"));
    CHECK(run_tool(server, {"leader", "boss"}, &output) == 0);
    CHECK(output == "boss: nobody leads\n");
}

TEST_CASE("cli elect: with --again the command runs once more after a loss", "[cli]")
{
    redis_server server;
    auto const script = "echo \"term $HOLDFAST_FENCING_TOKEN.\"; sleep 100";
    tool candidate(server, {"elect", "boss", "--lease", "1s", "--again", "--", "sh", "-c", script});
    REQUIRE(eventually([&] { return count_of(candidate.output(), "term ") == 1; }));
    CHECK(run_tool(server, {"release", "boss", "--force"}) == 0);
    CHECK(eventually([&] { return count_of(candidate.output(), "term ") == 2; }));
    CHECK_THAT(candidate.output(), ContainsSubstring("was lost"));
    candidate.send(SIGTERM);
    CHECK(candidate.wait() == 128 + SIGTERM);
    CHECK_FALSE(has_key(server, "boss"));
}

// The key is another holder's from one moment to the next, as after an expiry.
void give_to_another(redis_server& server, std::string const& name)
{
    auto const script = "redis.call('del', KEYS[1]) redis.call('hset', KEYS[1], ARGV[1], '1') "
                        "return redis.call('pexpire', KEYS[1], '60000')";
    server.command({"EVAL", script, "1", name, client_token});
}

TEST_CASE("cli elect: a loss is status 74, also if --again waits in vain after it, whatever --busy-exit is", "[cli]")
{
    redis_server server;
    give_to_another(server, "boss");
    CHECK(run_tool(server, {"elect", "boss", "--wait", "0", "--busy-exit", "0", "--", "true"}) == 0);
    server.command({"DEL", "boss"});

    tool candidate(
        server,
        {"elect",
         "boss",
         "--lease",
         "1s",
         "--again",
         "--wait",
         "1s",
         "--busy-exit",
         "0",
         "--",
         "sh",
         "-c",
         "echo up; sleep 100"});
    REQUIRE(candidate.prints("up"));
    give_to_another(server, "boss");
    CHECK(candidate.wait() == 74);
    CHECK_THAT(candidate.output(), ContainsSubstring("was lost") && ContainsSubstring("is led by another client"));
}

TEST_CASE("cli status, list: a latch tells what is left to count, and its steps are no lock", "[cli]")
{
    redis_server server;
    // As latch_set and latch_count_down leave it.
    server.command({"SET", "start", "2", "PX", "60000"});
    server.command({"SET", "holdfast_latch:{start}", "1", "PX", "60000"});
    server.command({"HSET", "holdfast_latch_steps:{start}", "0b1c2d3e-0000-4000-8000-000000000001:17", "1"});
    server.command({"SET", "number", "2"});
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(output == "start: a latch, 2 left to count\n");
    CHECK(run_tool(server, {"status", "start"}, &output) == 0);
    CHECK(output == "start: a latch, 2 left to count\n");
    CHECK(run_tool(server, {"list", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("kind":"latch","holders":[])") && ContainsSubstring(R"("value":"2")"));
    CHECK_THAT(output, !ContainsSubstring("holdfast_latch_steps"));
    CHECK(run_tool(server, {"status", "start", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("kind":"latch")"));
    CHECK(run_tool(server, {"release", "start", "--force"}, &output) != 0);
    CHECK(has_key(server, "start"));
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
