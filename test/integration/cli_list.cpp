//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <cstdio>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("cli list: many locks cost a script for some hundred keys, not one for each lock", "[cli]")
{
    redis_server server;
    server.command(
        {"EVAL",
         "for i = 1, 49000 do redis.call('set', 'order:' .. i, ARGV[1], 'PX', 600000) end "
         "for i = 1, 1000 do redis.call('hset', 'r' .. i, 'mode', 'read', ARGV[1], 1) "
         "redis.call('pexpire', 'r' .. i, 600000) "
         "redis.call('set', '{r' .. i .. '}:' .. ARGV[1] .. ':rwlock_timeout:1', 1, 'PX', 600000) end",
         "0",
         client_token});
    server.command({"CONFIG", "RESETSTAT"});
    std::string output;
    CHECK(run_tool(server, {"list"}, &output) == 0);
    CHECK(count_of(output, "\n") == 50'000);
    CHECK(count_of(output, "held for reading by") == 1000);
    // Commands of scripts count, too, but not as what the server has read.
    auto const scripts = server.calls("eval") + server.calls("evalsha");
    auto const scans = server.calls("scan");
    auto const reads = std::stoll(server.info("total_reads_processed"));
    std::printf(
        "figure  holdfast list of 50,000 locks: %lld scripts, %lld scans, %lld messages of the client\n",
        static_cast<long long>(scripts),
        static_cast<long long>(scans),
        reads);
    CHECK(scripts < 500);
    CHECK(scans < 500);
    CHECK(reads < 1000);
}

TEST_CASE("cli list: many semaphores cost no more, and are shown as status shows them", "[cli]")
{
    redis_server server;
    std::string const client = "0b1c2d3e-0000-8000-8000-000000000001";
    server.command(
        {"EVAL",
         "local time = redis.call('time') local last = (time[1] + 3600) * 1000 "
         "for i = 1, 2000 do redis.call('set', 'pool' .. i, '-1') "
         "redis.call('zadd', '{pool' .. i .. '}:timeout', last, ARGV[1], last, ARGV[1] .. '/2', last, ARGV[2]) "
         "redis.call('hset', 'holdfast_permit_numbers:{pool' .. i .. '}', ARGV[2], '3') end "
         "return redis.call('zadd', '{pool7}:timeout', (time[1] - 60) * 1000, ARGV[1])",
         "0",
         client + ":1",
         client + ":2"});
    auto const scripts = [&] { return server.calls("eval") + server.calls("evalsha"); };
    auto const before = scripts();
    std::string listed, output;
    CHECK(run_tool(server, {"list"}, &listed) == 0);
    CHECK(scripts() - before < 100);
    CHECK(count_of(listed, "of 2 permits held, -1 free") == 1999);
    CHECK(count_of(listed, "number 3 held by " + client + ":2, for ") == 2000);
    CHECK(count_of(listed, "2 permits held by " + client + ":1, for ") == 1999);
    for (std::string const name : {"pool1", "pool7"}) {
        CHECK(run_tool(server, {"status", name}, &output) == 0);
        auto const first_line = output.substr(0, output.find('\n') + 1);
        CAPTURE(first_line);
        CHECK_THAT(listed, ContainsSubstring("\n" + first_line) || StartsWith(first_line));
    }
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
