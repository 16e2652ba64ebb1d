//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// With a short lease time, so that a loss is noticed soon.
std::vector<std::string> run_with_short_lease(std::string script, std::vector<std::string> options = {})
{
    options.insert(options.begin(), {"--lease", "2s"});
    return run_sh(std::move(script), std::move(options));
}

}  // namespace

TEST_CASE("cli loss: the command is ended by SIGTERM when the lock is lost", "[cli]")
{
    redis_server server;
    tool t(server, run_with_short_lease("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"));
    REQUIRE(t.prints("up"));
    server.command({"DEL", "job"});
    CHECK(t.wait() == 74);
    CHECK_THAT(t.output(), ContainsSubstring("bye") && ContainsSubstring("was lost"));
}

TEST_CASE("cli loss: the key of another holder is not changed", "[cli]")
{
    redis_server server;
    tool t(server, run_with_short_lease("echo up; sleep 100"));
    REQUIRE(t.prints("up"));
    server.command({"SET", "job", "another", "PX", "60000"});
    CHECK(t.wait() == 74);
    CHECK(server.command({"GET", "job"}).text == "another");
}

TEST_CASE("cli loss: a command that ignores SIGTERM is killed after the time of --kill-after", "[cli]")
{
    redis_server server;
    tool t(
        server, run_with_short_lease("trap '' TERM; echo up; while :; do sleep 0.05; done", {"--kill-after", "200ms"}));
    REQUIRE(t.prints("up"));
    server.command({"DEL", "job"});
    CHECK(t.wait() == 74);
}

TEST_CASE("cli loss: with --on-loss kill the command is killed without SIGTERM", "[cli]")
{
    redis_server server;
    tool t(
        server,
        run_with_short_lease("trap 'echo bye' TERM; echo up; while :; do sleep 0.05; done", {"--on-loss", "kill"}));
    REQUIRE(t.prints("up"));
    server.command({"DEL", "job"});
    CHECK(t.wait() == 74);
    CHECK_THAT(t.output(), !ContainsSubstring("bye"));
}

TEST_CASE("cli loss: with --on-loss ignore the command continues without the lock", "[cli]")
{
    redis_server server;
    tool t(
        server,
        run_with_short_lease(
            "echo up; while ! test -e " + (server.folder() / "go").string() + "; do sleep 0.05; done; exit 9",
            {"--on-loss", "ignore"}));
    REQUIRE(t.prints("up"));
    server.command({"DEL", "job"});
    REQUIRE(t.prints("continues without the lock"));
    CHECK(run_tool(server, {"run", "other", "--", "touch", (server.folder() / "go").string()}) == 0);
    CHECK(t.wait() == 9);
}

TEST_CASE("cli loss: processes that the command started are killed, too", "[cli]")
{
    redis_server server;
    tool t(
        server,
        run_with_short_lease(
            "sh -c 'echo pid=$$.; trap \"\" TERM; sleep 100; sleep 100' & wait", {"--kill-after", "200ms"}));
    REQUIRE(t.prints("."));
    auto const output = t.output();
    auto const grandchild = static_cast<pid_t>(std::stol(output.substr(output.find("pid=") + 4)));
    server.command({"DEL", "job"});
    CHECK(t.wait() == 74);
    CHECK(eventually([&] { return ::kill(grandchild, 0) != 0; }));
}

TEST_CASE("cli loss: the command is ended if the server no longer answers", "[cli]")
{
    redis_server server;
    tool t(server, run_with_short_lease("echo up; sleep 100"));
    REQUIRE(t.prints("up"));
    server.freeze();
    CHECK(t.wait() == 74);
    server.thaw();
    CHECK(eventually([&] { return !has_key(server, "job"); }));
}

TEST_CASE("cli loss: a holdfast that was stopped for longer than the lease time ends the command", "[cli]")
{
    redis_server server;
    tool t(server, run_with_short_lease("echo up; sleep 100"));
    REQUIRE(t.prints("up"));
    t.send(SIGSTOP);
    REQUIRE(eventually([&] { return !has_key(server, "job"); }));
    t.send(SIGCONT);
    CHECK(t.wait() == 74);
}

TEST_CASE("cli loss: the exit status is not 0 if the lease was lost before the command ended", "[cli]")
{
    redis_server server;
    auto const go = (server.folder() / "go").string();
    auto const script = "echo pid=$$.; while ! test -e " + go + "; do sleep 0.02; done; exit ";
    int const status = GENERATE(0, 9);
    tool t(server, run_with_short_lease(script + std::to_string(status)));
    REQUIRE(t.prints("."));
    auto const output = t.output();
    auto const pid = std::stol(output.substr(output.find("pid=") + 4));
    t.send(SIGSTOP);
    REQUIRE(eventually([&] { return !has_key(server, "job"); }));
    std::ofstream(go) << "go";
    REQUIRE(eventually([&] { return !std::filesystem::exists("/proc/" + std::to_string(pid)); }));
    t.send(SIGCONT);
    auto const ended = t.wait();
    CHECK_THAT(t.output(), ContainsSubstring("was lost"));
    // On a busy machine the guardian may have ended the command before it saw the file.
    bool const was_terminated = t.output().find("the command is terminated") != std::string::npos;
    CHECK(ended == (status == 0 || was_terminated ? 74 : status));
}

TEST_CASE("cli loss: with --on-loss ignore the exit status is not 0 either", "[cli]")
{
    redis_server server;
    auto const go = (server.folder() / "go").string();
    tool t(
        server,
        run_with_short_lease("echo up; while ! test -e " + go + "; do sleep 0.02; done", {"--on-loss", "ignore"}));
    REQUIRE(t.prints("up"));
    server.command({"DEL", "job"});
    REQUIRE(t.prints("continues without the lock"));
    std::ofstream(go) << "go";
    CHECK(t.wait() == 74);
}
