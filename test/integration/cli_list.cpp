//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("cli list: many locks cost a script for some hundred keys, not one for each lock", "[cli]")
{
    redis_server server;
    server.command(
        {"EVAL",
         "for i = 1, 4000 do redis.call('set', 'order:' .. i, ARGV[1], 'PX', 60000) end "
         "for i = 1, 1000 do redis.call('hset', 'r' .. i, 'mode', 'read', ARGV[1], 1) "
         "redis.call('pexpire', 'r' .. i, 60000) "
         "redis.call('set', '{r' .. i .. '}:' .. ARGV[1] .. ':rwlock_timeout:1', 1, 'PX', 60000) end",
         "0",
         client_token});
    auto const scripts = [&] { return server.calls("eval") + server.calls("evalsha"); };
    auto const before = scripts();
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "\n") == 5000);
    CHECK(count_of(output, "held for reading by") == 1000);
    CHECK(scripts() - before < 100);
}

TEST_CASE("cli list: a lock that cannot be read is reported, and the list does not count as complete", "[cli]")
{
    redis_server server;
    server.command({"HSET", "broken", client_token, "1"});
    server.command({"PEXPIRE", "broken", "60000"});
    server.command({"SET", "redisson_lock_queue:{broken}", "no list"});
    server.command({"SET", "whole", client_token, "PX", "60000"});
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("whole: held by ") && ContainsSubstring("holdfast: broken: "));
    CHECK_THAT(output, ContainsSubstring("the list is not complete: 1 locks could not be read"));
}
