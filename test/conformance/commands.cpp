//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The model of a server replies to each command as redis-server 7.0 does.

#include <chrono>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "conformance/comparison.hpp"
#include "conformance/grammar.hpp"

namespace holdfast::test {
namespace {

TEST_CASE("the modelled server replies to random commands as Redis 7.0 does", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    skip_unless_redis_7_0(both.real());
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        grammar g(seed);
        for (int i = 0; i != 500; ++i)
            both.command(g.any_command());
        both.command({"FLUSHALL"});
    }
}

TEST_CASE("commands on an expired key have the same replies from the model and from Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    both.command({"SET", "k", "v", "PX", "2"});
    both.command({"HSET", "h", "f", "v"});
    both.command({"PEXPIRE", "h", "2"});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (auto const* const name : {"GET", "PTTL", "TYPE", "EXISTS", "DEL"})
        both.command({name, "k"});
    both.command({"HSET", "h", "g", "v"});
    both.command({"HGETALL", "h"});
    both.command({"PTTL", "h"});
}

TEST_CASE("PEXPIREAT with GT, LT, NX and XX compares times to the millisecond, as Redis does", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    if (both.real().command({"PEXPIREAT", "none", "9999999999999", "GT"}).is_error())
        SKIP("this server does not have the options");
    for (auto const* const before : {"9999999999999", "9999999999998", "9999999999997"})
        for (auto const* const condition : {"GT", "LT", "NX", "XX"}) {
            both.command({"SET", "k", "v"});
            both.command({"PEXPIREAT", "k", "9999999999998", condition});
            both.command({"PEXPIREAT", "k", before});
            both.command({"PEXPIREAT", "k", "9999999999998", condition});
        }
}

TEST_CASE(
    "the commands of counters, permits and steps have the same replies from the model and from Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    both.command({"SET", "free", "3", "PX", "100000"});
    both.command({"DECRBY", "free", "5"});
    both.command({"PTTL", "free"});
    both.command({"DECRBY", "free", "-9223372036854775808"});
    both.command({"DECRBY", "free", "9223372036854775807"});
    both.command({"DECRBY", "none", "1.5"});
    both.command({"INCRBY", "none", "2"});
    both.command({"INCR", "none"});
    both.command({"ZADD", "held", "100", "a", "200", "b", "200", "a/2"});
    both.command({"ZMSCORE", "held", "b", "c", "a"});
    both.command({"ZMSCORE", "nothing", "a", "b"});
    both.command({"ZMSCORE", "free", "a"});
    both.command({"ZADD", "held", "XX", "GT", "150", "a", "150", "b", "150", "c"});
    both.command({"ZRANGE", "held", "0", "-1", "WITHSCORES"});
    both.command({"ZRANGE", "held", "2", "2", "WITHSCORES"});
    both.command({"ZRANGEBYSCORE", "held", "-inf", "150", "WITHSCORES"});
    both.command({"ZCARD", "held"});
    both.command({"PERSIST", "held"});
    both.command({"SADD", "steps", "a", "b", "a"});
    both.command({"SADD", "steps", "b"});
    both.command({"SCARD", "steps"});
    both.command({"SADD", "held", "a"});
    both.command({"SCARD", "held"});
    both.command({"TYPE", "steps"});
    both.command({"DECRBY", "steps", "1"});
    both.command({"HMGET", "steps", "f"});
    both.command({"HMGET", "nothing", "f", "g"});
}

TEST_CASE("the modelled server replies to WAIT as Redis does, also as a replica", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    auto const wait = [&](char const* replicas, char const* timeout) { both.command({"WAIT", replicas, timeout}); };
    auto const try_all = [&] {
        wait("0", "0");
        wait("-1", "10");
        wait("0", "-1");
        wait("x", "10");
        wait("1", "x");
        wait("1.5", "10");
        both.command({"WAIT", "1"});
    };
    try_all();
    both.command({"SET", "k", "v"});
    try_all();
    both.real().command({"REPLICAOF", "127.0.0.1", std::to_string(both.real().port())});
    both.model().demote();
    try_all();
}

TEST_CASE("the modelled server replies to CLIENT, SCRIPT, EVAL and unknown commands as Redis does", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    comparison both;
    both.command({"CLIENT", "SETNAME", "me"});
    both.command({"CLIENT", "GETNAME"});
    both.command({"CLIENT", "KILL", "ID", "99999"});
    // Redis 6.2 ignores the number 0, and kills every other connection.
    if (!both.real().info("redis_version").starts_with("6."))
        both.command({"CLIENT", "KILL", "ID", "0"});
    both.command({"CLIENT", "KILL", "ID", "x"});
    both.command({"CLIENT", "NOSUCH"});
    both.command({"client", "id", "x"});
    both.command({"CLIENT"});
    both.command({"SCRIPT", "LOAD", "return 1"});
    both.command({"SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x"});
    both.command({"EVALSHA", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0"});
    both.command({"SCRIPT", "FLUSH"});
    both.command({"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"});
    both.command({"EVALSHA", "short", "0"});
    both.command({"SCRIPT", "NOSUCH"});
    both.command({"SCRIPT", "LOAD"});
    both.command({"SCRIPT", "LOAD", "return ("});
    both.command({"EVAL", "return 1", "x"});
    both.command({"EVAL", "return 1", "1"});
    both.command({"EVAL", "return 1", "-1"});
    both.command({"EVAL", "return 1"});
    both.command({"TIME", "x"});
    both.command({"DBSIZE"});
    both.command({"NOSUCH", std::string(200, 'x'), "y"});
    both.command({"NOSUCH"});
}

}  // namespace
}  // namespace holdfast::test
