//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <signal.h>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

constexpr auto prints_signals =
    "trap 'echo got INT' INT; trap 'echo got HUP' HUP; trap 'echo got USR1' USR1; trap 'echo got WINCH' WINCH;"
    "trap 'echo got TERM; exit 5' TERM; echo up; while :; do sleep 0.02; done";

bool is_waiting(redis_server& server, std::string const& name)
{
    return server.command({"PUBSUB", "NUMSUB", "redisson_lock__channel:{" + name + "}"}).items.at(1).integer > 0;
}

}  // namespace

TEST_CASE("cli signals: a signal to holdfast is passed on to the command", "[cli]")
{
    redis_server server;
    tool t(server, {"run", "job", "--", "sh", "-c", prints_signals});
    REQUIRE(t.prints("up"));
    t.send(SIGHUP);
    CHECK(t.prints("got HUP"));
    t.send(SIGINT);
    CHECK(t.prints("got INT"));
    t.send(SIGUSR1);
    CHECK(t.prints("got USR1"));
    t.send(SIGWINCH);
    CHECK(t.prints("got WINCH"));
    t.send(SIGTERM);
    CHECK(t.wait() == 5);
    CHECK(count_of(t.output(), "got INT") == 1);
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli signals: Ctrl-C on the terminal reaches the command once", "[cli]")
{
    redis_server server;
    tool t(server, {"run", "job", "--", "sh", "-c", prints_signals}, terminal::controlling);
    REQUIRE(t.prints("up"));
    t.type("\x03");
    CHECK(t.prints("got INT"));
    // A second SIGINT would have been passed on before this signal.
    t.send(SIGUSR1);
    CHECK(t.prints("got USR1"));
    CHECK(count_of(t.output(), "got INT") == 1);
    t.send(SIGINT);
    CHECK(eventually([&] { return count_of(t.output(), "got INT") == 2; }));
    t.send(SIGTERM);
    CHECK(t.wait() == 5);
}

TEST_CASE("cli signals: a signal ends a wait for the lock, and nothing is left behind", "[cli]")
{
    redis_server server;
    tool holder(server, {"run", "job", "--lease", "2s", "--", "sh", "-c", prints_signals});
    REQUIRE(holder.prints("up"));
    int const signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    tool waiter(server, {"run", "job", "--", "echo", "never"});
    REQUIRE(eventually([&] { return is_waiting(server, "job"); }));
    waiter.send(signal);
    CHECK(waiter.wait() == 128 + signal);
    CHECK(waiter.output().empty());

    holder.send(SIGTERM);
    CHECK(holder.wait() == 5);
    CHECK_FALSE(has_key(server, "job"));
    CHECK(run_tool(server, {"run", "job", "--wait", "0", "--", "true"}) == 0);
}

TEST_CASE("cli signals: a signal around the moment of the grant ends holdfast, and no key is left behind", "[cli]")
{
    redis_server server;
    for (int i = 0; i < 10; ++i) {
        tool holder(server, {"run", "job", "--", "sh", "-c", prints_signals});
        REQUIRE(holder.prints("up"));
        tool waiter(server, {"run", "job", "--", "sleep", "100"});
        REQUIRE(eventually([&] { return is_waiting(server, "job"); }));
        holder.send(SIGTERM);
        std::this_thread::sleep_for(i * 1ms);  // another instant each time
        waiter.send(SIGTERM);
        CHECK(waiter.wait() == 128 + SIGTERM);
        CHECK(holder.wait() == 5);
        CHECK_FALSE(has_key(server, "job"));
    }
}

TEST_CASE("cli signals: a signal that was ignored at the start stays ignored", "[cli]")
{
    redis_server server;
    tool t(
        server,
        {"run",
         "job",
         "--pass-url",
         "--",
         "nohup",
         HOLDFAST_TOOL,
         "run",
         "inner",
         "--",
         "sh",
         "-c",
         "echo up; sleep 0.3; exit 4"});
    REQUIRE(t.prints("up"));
    t.send(SIGHUP);
    CHECK(t.wait() == 4);
}
