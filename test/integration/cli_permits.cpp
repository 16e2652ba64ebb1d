//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// `holdfast run --permits` and `holdfast permits`: semaphores on the command line.

#include <signal.h>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

namespace holdfast::test {
namespace {

using Catch::Matchers::ContainsSubstring;

// `holdfast run gpus OPTIONS -- sh -c SCRIPT`.
std::vector<std::string> run_gpus(std::string script, std::vector<std::string> options)
{
    std::vector<std::string> words{"run", "gpus"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", std::move(script)});
    return words;
}

TEST_CASE("cli run: with --permits as many commands run at once as there are permits", "[cli]")
{
    redis_server server;
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "3"}));
    tool two(server, run_gpus("echo up; sleep 100", {"--permits", "3", "--weight", "2"}));
    REQUIRE(one.prints("up"));
    REQUIRE(two.prints("up"));
    std::string output;
    CHECK(run_tool(server, run_gpus("true", {"--permits", "3", "--wait", "0"}), &output) == 75);
    CHECK_THAT(output, ContainsSubstring("'gpus' has too few free permits"));

    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: 3 of 3 permits held, 0 free"));
    CHECK_THAT(output, ContainsSubstring("gpus: held by "));
    CHECK_THAT(output, ContainsSubstring("gpus: 2 permits held by "));
    CHECK(run_tool(server, {"status", "gpus"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: 3 of 3 permits held, 0 free"));
    CHECK(run_tool(server, {"status", "gpus", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("kind":"semaphore")"));
    CHECK(run_tool(server, {"permits", "gpus", "--json"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"({"name":"gpus","total":3,"held":3,"free":0,"holders":[{"id":)"));
    CHECK_THAT(output, ContainsSubstring(R"("permits":2})"));

    one.send(SIGTERM);
    CHECK(one.wait() == 128 + SIGTERM);
    CHECK(run_tool(server, run_gpus("true", {"--permits", "3", "--wait", "0"})) == 0);
}

TEST_CASE("cli permits: --set changes the number of permits, and release --force takes them away", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    CHECK(output == "gpus: no permits\n");
    CHECK(run_tool(server, {"permits", "gpus", "--set", "2"}, &output) == 0);
    CHECK(output == "gpus: 0 of 2 permits held, 2 free\n");
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "0", "--weight", "2", "--on-loss", "ignore"}));
    REQUIRE(one.prints("up"));
    CHECK(run_tool(server, {"permits", "gpus", "--set", "1"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: 2 of 1 permits held, -1 free"));
    CHECK(run_tool(server, {"release", "gpus", "--force"}, &output) == 0);
    CHECK(output == "gpus: released\n");
    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    CHECK(output == "gpus: 0 of 1 permits held, 1 free\n");
}

// The id of a holder that the tool shows after that text.
std::string shown_id(std::string const& output, std::string const& line)
{
    auto const from = output.find(line) + line.size();
    return output.substr(from, output.find_first_of(", ", from) - from);
}

TEST_CASE("cli permits: --revoke takes the permits of one holder away, by the id that status shows", "[cli]")
{
    redis_server server;
    std::string output;
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "4", "--weight", "2", "--on-loss", "ignore"}));
    REQUIRE(one.prints("up"));
    tool two(server, run_gpus("echo up; sleep 100", {"--permits", "4", "--on-loss", "ignore"}));
    REQUIRE(two.prints("up"));
    CHECK(run_tool(server, {"status", "gpus"}, &output) == 0);
    auto const id = shown_id(output, "gpus: 2 permits held by ");
    auto const other = shown_id(output, "gpus: held by ");
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", id}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: " + id + ": revoked\ngpus: 1 of 4 permits held, 3 free\n"));
    CHECK_THAT(output, ContainsSubstring("gpus: held by " + other) && !ContainsSubstring("by " + id));
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", id}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: " + id + ": had no permits\ngpus: 1 of 4 permits held, 3 free\n"));
    CHECK(run_tool(server, {"permits", "gpus", "--json", "--revoke", other}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(R"("free":4,"holders":[],"revoked":true})"));
}

TEST_CASE("cli permits: --revoke takes exactly one holder, and no part of an id", "[cli]")
{
    redis_server server;
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "2", "--on-loss", "ignore"}));
    REQUIRE(one.prints("up"));
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    auto const id = shown_id(output, "gpus: held by ");
    auto const client = id.substr(0, id.rfind(':'));
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", client}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(": had no permits\ngpus: 1 of 2 permits held"));
}

TEST_CASE("cli permits: --revoke takes the id of a permit of Redisson as it is shown", "[cli]")
{
    redis_server server;
    std::string const permit("\x9b\x01 is Redisson's", 16);
    REQUIRE(permit.size() == 16);
    server.command({"SET", "gpus", "1"});
    server.command({"ZADD", "{gpus}:timeout", "9000000000000", permit});
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", R"(\x9b\x01 is Redisson's)"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring(": revoked\ngpus: 0 of 2 permits held, 2 free\n"));
}

TEST_CASE("cli permits: --revoke of a numbered semaphore frees the number", "[cli]")
{
    redis_server server;
    auto const script = "echo \"number=$HOLDFAST_PERMIT_NUMBER.\"; sleep 100";
    tool one(server, run_gpus(script, {"--permits", "1", "--numbered", "--on-loss", "ignore"}));
    REQUIRE(one.prints("number=1."));
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    auto const id = shown_id(output, "gpus: number 1 held by ");
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", id}) == 0);
    tool two(server, run_gpus(script, {"--permits", "1", "--numbered"}));
    CHECK(two.prints("number=1."));
}

TEST_CASE("cli permits: --revoke needs an id, and goes not with --set", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", ""}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--revoke"));
    CHECK(run_tool(server, {"permits", "gpus", "--revoke", "x", "--set", "3"}, &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--revoke"));
    CHECK_FALSE(has_key(server, "gpus"));
}

TEST_CASE("cli run: with --numbered the environment has the number of the permit", "[cli]")
{
    redis_server server;
    auto const script = "echo \"number=$HOLDFAST_PERMIT_NUMBER token=$HOLDFAST_FENCING_TOKEN.\"; sleep 100";
    tool one(server, run_gpus(script, {"--permits", "2", "--numbered"}));
    REQUIRE(one.prints("number=1 token="));
    tool two(server, run_gpus(script, {"--permits", "2", "--numbered"}));
    REQUIRE(two.prints("number=2 token="));
    std::string output;
    CHECK(run_tool(server, {"permits", "gpus"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("gpus: number 1 held by ") && ContainsSubstring("gpus: number 2 held by "));
    for (auto const& words : {std::vector<std::string>{"permits", "gpus", "--json"}, {"list", "--json"}}) {
        CHECK(run_tool(server, words, &output) == 0);
        CHECK_THAT(output, ContainsSubstring(R"("number":1)") && ContainsSubstring(R"("number":2)"));
        CHECK_THAT(output, !ContainsSubstring("#"));
    }
}

TEST_CASE("cli run: with --with-redisson a waiter listens to the channel of Redisson's clients", "[cli]")
{
    redis_server server;
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "1"}));
    REQUIRE(one.prints("up"));
    tool two(server, run_gpus("true", {"--permits", "1", "--with-redisson"}));
    CHECK(eventually([&] { return !server.command({"PUBSUB", "CHANNELS", "redisson_sc:{gpus}"}).items.empty(); }));
}

TEST_CASE("cli run: with --permits and --at-least the permits stay taken after the command has ended", "[cli]")
{
    redis_server server;
    std::vector<std::string> const options{"--permits", "1", "--wait", "0", "--at-least", "1h"};
    CHECK(run_tool(server, run_gpus("exit 7", options)) == 7);
    CHECK(run_tool(server, run_gpus("exit 7", options)) == 75);
}

TEST_CASE("cli run: options that a semaphore does not have are bad usage, and nothing is sent", "[cli]")
{
    redis_server server;
    std::vector<std::pair<std::vector<std::string>, std::string>> const all{
        {{"--weight", "2"}, "--weight requires --permits"},
        {{"--fair"}, "--fair requires --permits"},
        {{"--with-redisson"}, "--with-redisson requires --permits"},
        {{"--permits", "2", "--kind", "fair"}, "--permits: a semaphore has no --kind"},
        {{"--permits", "2", "--weight", "3"}, "--weight: must be at least 1"},
        {{"--permits", "2", "--weight", "0"}, "--weight: must be at least 1"},
        {{"--permits", "2", "--numbered", "--fair"}, "--numbered: not with --fair"},
        {{"--permits", "129", "--numbered"}, "--permits: must be at most 128 with --numbered"},
        {{"--permits", "-1"}, "--permits"}};
    for (auto const& [options, text] : all) {
        std::string output;
        CHECK(run_tool(server, run_gpus("true", options), &output) == 64);
        CHECK_THAT(output, ContainsSubstring(text));
    }
    CHECK_FALSE(has_key(server, "gpus"));
}

TEST_CASE("cli list: semaphores whose permits are held are shown, in lines and as JSON", "[cli]")
{
    redis_server server;
    server.command({"SET", "counter", "17"});
    CHECK(run_tool(server, {"permits", "idle", "--set", "3"}) == 0);
    tool one(server, run_gpus("echo up; sleep 100", {"--permits", "3", "--numbered"}));
    REQUIRE(one.prints("up"));
    tool fair(
        server, {"run", "{t}:x", "--permits", "2", "--weight", "2", "--fair", "--", "sh", "-c", "echo up; sleep 100"});
    REQUIRE(fair.prints("up"));
    tool waiter(server, {"run", "{t}:x", "--permits", "2", "--fair", "--", "true"});
    REQUIRE(eventually([&] { return has_key(server, "holdfast_permit_queue:{t}:x"); }));
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "\n") == 4);
    CHECK_THAT(output, ContainsSubstring("gpus: 1 of 3 permits held, 2 free"));
    CHECK_THAT(output, ContainsSubstring("{t}:x: 2 of 2 permits held, 0 free"));
    CHECK_THAT(output, ContainsSubstring("{t}:x: 2 permits held by "));
    CHECK(run_tool(server, {"list", "--json"}, &output) == 0);
    CHECK(count_of(output, R"("kind":"semaphore")") == 2);
    CHECK(count_of(output, R"("kind":)") == 2);
    CHECK_THAT(output, ContainsSubstring(R"("queue_length":1)"));
}

TEST_CASE("cli status: a key of another program that is a number is no semaphore", "[cli]")
{
    redis_server server;
    server.command({"SET", "job", "1", "PX", "60000"});
    std::string output;
    CHECK(run_tool(server, {"status", "job"}, &output) == 0);
    CHECK_THAT(output, ContainsSubstring("job: held by 1, for "));
    CHECK(run_tool(server, {"release", "job", "--force"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("a string that is no token; it stays as it is"));
    CHECK(has_key(server, "job"));
}

TEST_CASE("cli permits: a lock is no semaphore", "[cli]")
{
    redis_server server;
    server.command({"SET", "job", "0b1c2d3e-0000-8000-8000-000000000001:17", "PX", "60000"});
    std::string output;
    CHECK(run_tool(server, {"permits", "job"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("job"));
    CHECK(run_tool(server, {"permits", "job", "--set", "3"}) == 69);
    CHECK(run_tool(server, {"permits", "job", "--revoke", "0b1c2d3e-0000-8000-8000-000000000001:17"}) == 69);
    CHECK(has_key(server, "job"));
}

}  // namespace
}  // namespace holdfast::test
