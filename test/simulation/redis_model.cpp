//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The server model by itself. The conformance tests compare its replies with those of redis-server; these tests cover
// time, script caches, connections, and the conditions that a test can set.

#include "sim/redis_model.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "sim/sha1.hpp"
#include "simulation/listener.hpp"

namespace holdfast::test {
namespace {

using simulated::condition;
using simulated::connection_id;
using simulated::lua_engine;
using simulated::redis_model;

struct served {
    explicit served(std::shared_ptr<lua_engine> lua = std::make_shared<lua_engine>()) : model(std::move(lua)) {}

    std::string say(std::initializer_list<std::string_view> text, connection_id from = 0)
    {
        auto const reply = model.execute(from == 0 ? id : from, {text.begin(), text.size()}, now_us);
        return reply ? to_string(*reply) : "none";
    }

    redis_model model;
    listener me;
    connection_id id = model.connect(me);
    std::int64_t now_us = 1'800'000'000'123'456;
};

TEST_CASE("a key with 0 ms left still exists and expires one millisecond later", "[model]")
{
    served s;
    s.say({"SET", "k", "v", "PX", "10"});
    s.now_us += 10'000;
    CHECK(s.say({"PTTL", "k"}) == "0");
    CHECK(s.say({"GET", "k"}) == "\"v\"");
    s.now_us += 1'000;
    CHECK(s.say({"GET", "k"}) == "nil");
    CHECK(s.say({"SET", "k", "w", "NX"}) == "OK");
}

TEST_CASE("a key's time to live follows the server's wall clock, also when the clock steps back", "[model]")
{
    served s;
    s.say({"SET", "k", "v", "PX", "10"});
    s.now_us -= 3'600'000'000;
    CHECK(s.say({"PTTL", "k"}) == "3600010");
    CHECK(s.say({"TIME"}) == "[\"1799996400\", \"123456\"]");
}

TEST_CASE("DECRBY keeps the time to live, and refuses what would overflow", "[model]")
{
    served s;
    s.say({"SET", "k", "3", "PX", "10"});
    CHECK(s.say({"DECRBY", "k", "5"}) == "-2");
    CHECK(s.say({"PTTL", "k"}) == "10");
    CHECK(s.say({"DECRBY", "k", "-9223372036854775808"}) == "-ERR decrement would overflow");
    CHECK(s.say({"DECRBY", "k", "9223372036854775807"}) == "-ERR increment or decrement would overflow");
    CHECK(s.say({"GET", "k"}) == "\"-2\"");
}

TEST_CASE("ZMSCORE replies nil for each member that is missing", "[model]")
{
    served s;
    CHECK(s.say({"ZMSCORE", "k", "a", "b"}) == "[nil, nil]");
    s.say({"ZADD", "k", "1", "a"});
    CHECK(s.say({"ZMSCORE", "k", "b", "a"}) == "[nil, \"1\"]");
}

TEST_CASE("SADD counts the members that are new", "[model]")
{
    served s;
    CHECK(s.say({"SADD", "k", "a", "b", "a"}) == "2");
    CHECK(s.say({"SADD", "k", "b", "c"}) == "1");
    CHECK(s.say({"SCARD", "k"}) == "3");
    CHECK(s.say({"TYPE", "k"}) == "set");
    CHECK(s.say({"HGET", "k", "a"}).starts_with("-WRONGTYPE"));
}

TEST_CASE("servers that share a Lua engine have separate script caches", "[model]")
{
    auto const lua = std::make_shared<lua_engine>();
    served a(lua), b(lua);
    auto const name = simulated::sha1("return 1");
    CHECK(name == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
    CHECK(a.say({"EVAL", "return 1", "0"}) == "1");
    CHECK(a.say({"EVALSHA", name, "0"}) == "1");
    CHECK(b.say({"EVALSHA", name, "0"}) == "-NOSCRIPT No matching script. Please use EVAL.");
    a.model.flush_scripts();
    CHECK(a.say({"EVALSHA", name, "0"}) == "-NOSCRIPT No matching script. Please use EVAL.");
    CHECK(a.say({"EVAL", "return 1", "0"}) == "1");
}

TEST_CASE("a script leaves no KEYS, ARGV or global variable behind for the next script", "[model]")
{
    served s;
    CHECK(s.say({"EVAL", "return {KEYS[1], ARGV[1]}", "1", "k", "a"}) == "[\"k\", \"a\"]");
    CHECK(s.say({"EVAL", "return #KEYS + #ARGV", "0"}) == "0");
    CHECK(s.say({"EVAL", "leak = 1", "0"}).starts_with('-'));
    CHECK(s.say({"EVAL", "return leak", "0"}).starts_with('-'));
    CHECK(s.say({"EVAL", "local t = {} for i = 1, 1000 do t[i] = i end return #t", "0"}) == "1000");
}

TEST_CASE("a message reaches all subscribers, including the sender", "[model]")
{
    served s;
    listener other;
    auto const other_id = s.model.connect(other);
    CHECK(s.say({"SUBSCRIBE", "c"}, other_id) == "none");
    CHECK(s.say({"SUBSCRIBE", "c"}) == "none");
    CHECK(s.say({"EVAL", "return redis.call('publish', 'c', 'x')", "0"}) == "2");
    CHECK(s.me.received == std::vector<std::string>{"[\"subscribe\", \"c\", 1]", "[\"message\", \"c\", \"x\"]"});
    s.model.disconnect(other_id);
    CHECK(s.say({"PUBLISH", "c", "x"}) == "1");
    CHECK(other.received.size() == 2);
}

TEST_CASE("a killed connection is notified and receives no further message", "[model]")
{
    served s;
    listener other;
    auto const other_id = s.model.connect(other);
    s.say({"SUBSCRIBE", "c"}, other_id);
    CHECK(s.say({"CLIENT", "KILL", "ID", std::to_string(other_id)}) == "1");
    CHECK_FALSE(s.model.is_connected(other_id));
    CHECK(other.received.back() == "killed");
    CHECK(s.say({"PUBLISH", "c", "x"}) == "0");
    CHECK(s.say({"CLIENT", "KILL", "ID", std::to_string(other_id)}) == "0");
}

TEST_CASE("a restart drops scripts, and the data only on request", "[model]")
{
    served s;
    s.say({"SET", "k", "v"});
    s.say({"SCRIPT", "LOAD", "return 1"});
    for (bool const lost : {false, true}) {
        s.model.restart(lost);
        s.id = s.model.connect(s.me);
        CHECK(s.say({"EXISTS", "k"}) == (lost ? "0" : "1"));
        CHECK(s.say({"SCRIPT", "EXISTS", simulated::sha1("return 1")}) == "[0]");
    }
}

TEST_CASE("the loading and disk error conditions refuse the commands that Redis refuses", "[model]")
{
    served s;
    s.model.set_condition(condition::loading);
    CHECK(s.say({"GET", "k"}) == "-LOADING Redis is loading the dataset in memory");
    CHECK(s.say({"SUBSCRIBE", "c"}) == "none");
    CHECK(s.say({"CLIENT", "ID"}) == std::to_string(s.id));
    s.model.set_condition(condition::disk_error);
    CHECK(s.say({"SET", "k", "v"}).starts_with("-MISCONF"));
    CHECK(s.say({"GET", "k"}) == "nil");
    s.model.set_condition(condition::normal);
    CHECK(s.say({"SET", "k", "v"}) == "OK");
}

TEST_CASE("in cluster mode all keys of a command must be in one hash slot", "[model]")
{
    served s;
    s.model.set_cluster_mode(true);
    for (auto const* const command : {"DEL", "UNLINK", "EXISTS", "MGET"}) {
        CAPTURE(command);
        CHECK(s.say({command, "a", "b"}).find("CROSSSLOT") != std::string::npos);
        CHECK(s.say({command, "{a}1", "{a}2"}).find("CROSSSLOT") == std::string::npos);
    }
}

TEST_CASE("a watcher receives the commands of a script before the script itself", "[model]")
{
    served s;
    std::vector<std::string> commands;
    s.model.watch([&](simulated::execution const& e) {
        commands.push_back(std::string(e.in_script ? "  " : "") + std::string(e.args[0]) + " " + to_string(*e.reply));
    });
    s.say({"EVAL", "redis.call('set', 'k', 'v') return redis.pcall('incr', 'k').err", "0"});
    CHECK(
        commands
        == std::vector<std::string>{
            "  set OK",
            "  incr -ERR value is not an integer or out of range",
            "EVAL \"ERR value is not an integer or out of range\""});
}

}  // namespace
}  // namespace holdfast::test
