//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

unsigned long long token_in(std::string const& output)
{
    return std::stoull(output.substr(output.find("token=") + 6));
}

}  // namespace

TEST_CASE("cli run: the exit status is that of the command, and the lock is free again", "[cli]")
{
    redis_server server;
    CHECK(run_tool(server, run_sh("exit 0")) == 0);
    CHECK(run_tool(server, run_sh("exit 7")) == 7);
    CHECK(run_tool(server, run_sh("kill -KILL $$")) == 128 + SIGKILL);
    CHECK(run_tool(server, run_sh("exit 3", {"--kind", "reentrant"})) == 3);
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli run: the lock is released if the command cannot be executed", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"run", "job", "--", "no-such-program-anywhere"}, &output) == 127);
    CHECK_THAT(output, ContainsSubstring("no-such-program-anywhere: No such file or directory"));
    CHECK(run_tool(server, {"run", "job", "--", "/etc/passwd"}) == 126);
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli run: with --at-least the lock stays taken after the command has ended", "[cli]")
{
    redis_server server;
    std::string const kind = GENERATE("mutex", "reentrant", "fair");
    CHECK(run_tool(server, run_sh("exit 7", {"--kind", kind, "--wait", "0", "--at-least", "1h"})) == 7);
    CHECK(has_key(server, "job"));
    CHECK(run_tool(server, run_sh("exit 0", {"--kind", kind, "--wait", "0", "--at-least", "1h"})) == 75);
}

TEST_CASE("cli run: an --at-least that the lock does not have is bad usage", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, run_sh("exit 0", {"--at-least", "0"}), &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--at-least: must be more than 0 and at most 12h"));
    CHECK(run_tool(server, run_sh("exit 0", {"--at-least", "13h"})) == 64);
    CHECK(run_tool(server, run_sh("exit 0", {"--at-least", "1s", "--kind", "read"}), &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--at-least: only with --kind mutex, reentrant or fair"));
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli run: the lock is held while the command runs", "[cli]")
{
    redis_server server;
    std::string const kind = GENERATE("mutex", "reentrant", "fair", "read", "write");
    tool t(server, run_sh("echo up; read line < /dev/tty || sleep 100", {"--kind", kind, "--lease", "5s"}));
    REQUIRE(t.prints("up"));
    CHECK(server.command({"TYPE", "job"}).text == (kind == "mutex" ? "string" : "hash"));
    CHECK(server.command({"PTTL", "job"}).integer <= 5000);
    t.send(SIGTERM);
    CHECK(t.wait() == 128 + SIGTERM);
    CHECK_FALSE(has_key(server, "job"));
}

TEST_CASE("cli run: the command's environment has the lock's name and its fencing token", "[cli]")
{
    redis_server server;
    auto const script = "echo \"name=$HOLDFAST_LOCK_NAME token=$HOLDFAST_FENCING_TOKEN.\"";
    std::string first, second, third;
    CHECK(run_tool(server, run_sh(script), &first) == 0);
    CHECK(run_tool(server, run_sh(script), &second) == 0);
    CHECK_THAT(first, ContainsSubstring("name=job token="));
    CHECK(token_in(first) < token_in(second));
    CHECK(run_tool(server, run_sh(script, {"--no-fencing"}), &third) == 0);
    CHECK_THAT(third, ContainsSubstring("name=job token=."));
}

TEST_CASE("cli run: the command's arguments are passed on unchanged", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, {"run", "job", "--", "echo", "--wait", "--", "-x", "status", ""}, &output) == 0);
    CHECK(output == "--wait -- -x status \n");
}

TEST_CASE("cli run: the command inherits no socket and no event descriptor", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, run_sh("ls -l /proc/self/fd"), &output) == 0);
    CHECK_THAT(output, !ContainsSubstring("socket:") && !ContainsSubstring("anon_inode"));
}

TEST_CASE("cli run: the commands of two contenders run one after the other", "[cli]")
{
    redis_server server;
    auto const script = "echo in >> " + (server.folder() / "trace").string() + "; sleep 0.2; echo out >> "
                        + (server.folder() / "trace").string();
    tool first(server, run_sh(script));
    tool second(server, run_sh(script));
    CHECK(first.wait() == 0);
    CHECK(second.wait() == 0);
    std::string trace;
    run_tool(server, {"run", "other", "--", "cat", (server.folder() / "trace").string()}, &trace);
    CHECK(trace == "in\nout\nin\nout\n");
}

TEST_CASE("cli run: the exit status is 75 if the lock is not granted in time", "[cli]")
{
    redis_server server;
    tool holder(server, run_sh("echo up; sleep 100"));
    REQUIRE(holder.prints("up"));
    std::string output;
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "0"}), &output) == 75);
    CHECK(output == "holdfast: 'job' is held by another client\n");
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "200ms"}), &output) == 75);
    CHECK_THAT(output, ContainsSubstring("within 200ms"));
}

TEST_CASE("cli run: --busy-exit is the exit status if the lock is not granted, and --quiet says nothing of it", "[cli]")
{
    redis_server server;
    tool holder(server, run_sh("echo up; sleep 100"));
    REQUIRE(holder.prints("up"));
    std::string output;
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "0", "--busy-exit", "0", "--quiet"}), &output) == 0);
    CHECK(output.empty());
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "0", "--busy-exit", "255"}), &output) == 255);
    CHECK(output == "holdfast: 'job' is held by another client\n");
    CHECK(run_tool(server, run_sh("exit 7", {"--busy-exit", "256"}), &output) == 64);
    CHECK_THAT(output, ContainsSubstring("--busy-exit: must be from 0 to 255"));
}

TEST_CASE("cli run: --quiet still reports errors that end it", "[cli]")
{
    redis_server server;
    server.kill();
    std::string output;
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "1s", "--quiet"}), &output) == 69);
    CHECK_THAT(output, ContainsSubstring("cannot connect to Redis"));
}

TEST_CASE("cli run: the exit status is 69 if Redis is not reachable", "[cli]")
{
    redis_server server;
    server.kill();
    std::string output;
    CHECK(run_tool(server, run_sh("echo never", {"--wait", "1s"}), &output) == 69);
    CHECK_THAT(output, ContainsSubstring("cannot connect to Redis: " + server.url()) && !ContainsSubstring("never"));
}

TEST_CASE("cli run: the exit status is 69 if Redis refuses, and its error is printed", "[cli]")
{
    redis_server server{"requirepass secret"};
    server.command({"AUTH", "secret"});
    std::string output;
    CHECK(run_tool(server, run_sh("echo never"), &output) == 69);
    CHECK_THAT(output, ContainsSubstring("NOAUTH"));

    redis_server open_server;
    open_server.command({"LPUSH", "job", "x"});
    CHECK(run_tool(open_server, run_sh("echo never"), &output) == 69);
    CHECK_THAT(output, ContainsSubstring("WRONGTYPE"));
}

TEST_CASE("cli run: the command ends when holdfast is killed", "[cli]")
{
    redis_server server;
    tool t(server, {"run", "job", "--", "sh", "-c", "echo pid=$$.; exec sleep 100"});
    REQUIRE(t.prints("."));
    auto const output = t.output();
    auto const pid = static_cast<pid_t>(std::stol(output.substr(output.find("pid=") + 4)));
    t.send(SIGKILL);
    CHECK(t.wait() == 128 + SIGKILL);
    CHECK(eventually([&] { return ::kill(pid, 0) != 0; }));
}
