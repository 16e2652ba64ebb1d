//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <signal.h>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Runs the tool in a shell, inside of another one, with its standard output redirected.
std::string run_redirected(redis_server const& server, std::string const& arguments, std::string const& to)
{
    std::string output;
    auto const script = "export HOLDFAST_URL=" + server.url() + "; timeout 20 " HOLDFAST_TOOL " " + arguments + " " + to
                        + "; echo status=$?";
    run_tool(server, {"run", "outer", "--", "sh", "-c", script}, &output);
    return output;
}

}  // namespace

TEST_CASE("cli output: results that cannot be written are an error", "[cli]")
{
    redis_server server;
    server.command({"SET", "job", client_token, "PX", "60000"});
    std::string const arguments = GENERATE(
        "list",
        "list --json",
        "list --watch",
        "status job",
        "status job --json",
        "leader boss",
        "leader boss --watch",
        "permits pool --set 3",
        "release other --force",
        "doctor",
        "doctor --json",
        "dashboard --listen 127.0.0.1:0",
        "--help",
        "run --help",
        "--version");
    std::string const to = GENERATE(">/dev/full", ">&-");
    CAPTURE(arguments, to);
    auto const output = run_redirected(server, arguments, to);
    CHECK_THAT(
        output, ContainsSubstring("holdfast: cannot write to standard output") && ContainsSubstring("status=73"));
}

TEST_CASE("cli output: an error that was there before keeps its status", "[cli]")
{
    redis_server server{"maxmemory 100mb", "maxmemory-policy allkeys-lru"};  // doctor calls it unfit
    for (std::string const to : {">/dev/null", ">/dev/full"}) {
        CAPTURE(to);
        CHECK_THAT(run_redirected(server, "doctor", to), ContainsSubstring("status=1"));
        CHECK_THAT(run_redirected(server, "list --no-such-option", to), ContainsSubstring("status=64"));
    }
}

TEST_CASE("cli output: a command of run may have its output closed", "[cli]")
{
    redis_server server;
    CHECK_THAT(run_redirected(server, "run job -- true", ">&- 2>&- <&-"), ContainsSubstring("status=0"));
    CHECK_THAT(
        run_redirected(server, "run job -- sh -c 'test ! -e /proc/$$/fd/1 && exit 5'", ">&-"),
        ContainsSubstring("status=5"));
}
