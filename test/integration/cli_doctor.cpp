//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "support/resp_client.hpp"
#include "tool/diagnosis.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;
using holdfast::cli::diagnose;
using holdfast::cli::grade;

namespace {

std::string const healthy = "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"
                            "# Memory\r\nused_memory:900000\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"
                            "# Persistence\r\naof_enabled:1\r\naof_last_write_status:ok\r\n"
                            "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n";

// Returns the grade of the topic if these fields differ from those of a healthy server.
grade grade_of(std::string const& topic, std::initializer_list<std::pair<std::string, std::string>> changes)
{
    auto info = healthy;
    for (auto const& [field, value] : changes) {
        auto const at = info.find("\n" + field + ":") + 1;
        info.replace(at, info.find('\r', at) - at, field + ":" + value);
    }
    auto const all = diagnose(info);
    return std::ranges::find(all, topic, &holdfast::cli::finding::topic)->grade;
}

}  // namespace

TEST_CASE("cli doctor: each topic is graded by the fields of INFO", "[cli]")
{
    for (auto const& f : diagnose(healthy)) {
        CAPTURE(f.topic, f.words);
        CHECK(f.grade == grade::good);
    }
    CHECK(grade_of("version", {{"redis_version", "6.0.16"}}) == grade::bad);
    CHECK(grade_of("version", {{"redis_version", "6.2.14"}}) == grade::good);
    CHECK(grade_of("version", {{"redis_version", "10.0.0"}}) == grade::good);
    CHECK(grade_of("mode", {{"redis_mode", "cluster"}}) == grade::good);
    CHECK(grade_of("mode", {{"redis_mode", "sentinel"}}) == grade::bad);
    CHECK(grade_of("memory", {{"maxmemory_policy", "allkeys-lru"}}) == grade::doubtful);
    CHECK(grade_of("memory", {{"maxmemory_policy", "allkeys-lru"}, {"maxmemory", "1000000"}}) == grade::bad);
    CHECK(grade_of("memory", {{"maxmemory", "950000"}}) == grade::doubtful);
    CHECK(grade_of("memory", {{"maxmemory", "9000000"}}) == grade::good);
    CHECK(grade_of("memory", {{"maxmemory_policy", ""}}) == grade::doubtful);
    CHECK(grade_of("persistence", {{"aof_enabled", "0"}}) == grade::doubtful);
    CHECK(grade_of("persistence", {{"aof_enabled", ""}}) == grade::doubtful);
    CHECK(grade_of("persistence", {{"aof_last_write_status", "err"}}) == grade::bad);
    CHECK(grade_of("replicas", {{"role", "slave"}}) == grade::bad);
    CHECK(grade_of("replicas", {{"connected_slaves", "2"}}) == grade::doubtful);
}

TEST_CASE("cli doctor: a fault in INFO is reported with its consequence", "[cli]")
{
    auto const words_of = [](std::string const& info, std::string const& topic) {
        auto const all = diagnose(info);
        return std::ranges::find(all, topic, &holdfast::cli::finding::topic)->words;
    };
    auto const evicting = words_of("maxmemory:9\nmaxmemory_policy:allkeys-lru\nevicted_keys:12\n", "memory");
    CHECK_THAT(evicting, ContainsSubstring("allkeys-lru, 12 keys evicted so far: the server evicts locks"));
    CHECK_THAT(words_of("aof_enabled:0\n", "persistence"), ContainsSubstring("a restart loses locks"));
    CHECK_THAT(words_of("", "memory"), ContainsSubstring("does not tell the eviction policy"));
    CHECK_THAT(words_of("", "persistence"), ContainsSubstring("does not tell whether"));
}

TEST_CASE("cli doctor: the words of a server without HELLO 3 are known", "[cli]")
{
    CHECK(holdfast::cli::is_hello_refused("ERR unknown command 'HELLO', with args beginning with: '3'"));
    CHECK(holdfast::cli::is_hello_refused("NOPROTO unsupported protocol version"));
    CHECK(holdfast::cli::is_hello_refused("the server does not speak RESP3"));
    CHECK_FALSE(holdfast::cli::is_hello_refused("WRONGPASS invalid username-password pair or user is disabled."));
}

TEST_CASE("cli doctor: Valkey is named with its own version", "[cli]")
{
    auto const all = diagnose("# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\n");
    CHECK(all.at(0).topic == "version");
    CHECK(all.at(0).words == "Valkey 9.1.2");
    CHECK(all.at(0).grade == grade::good);
}

TEST_CASE("cli doctor: a suitable server is reported as ok, and no key is left on it", "[cli]")
{
    redis_server server{"appendonly yes"};
    std::string output;
    CHECK(run_tool(server, {"doctor"}, &output) == 0);
    auto const product = server.info("valkey_version").empty() ? "Redis" : "Valkey";
    CHECK_THAT(output, ContainsSubstring(std::string("ok    version         ") + product + " "));
    CHECK_THAT(output, ContainsSubstring("ok    persistence"));
    CHECK_THAT(output, ContainsSubstring("ok    access") && ContainsSubstring("latency"));
    CHECK(server.command({"DBSIZE"}).integer == 0);
}

TEST_CASE("cli doctor: a server that may evict keys is reported as bad, with exit status 1", "[cli]")
{
    redis_server server{"maxmemory 100mb", "maxmemory-policy allkeys-lru"};
    std::string output;
    CHECK(run_tool(server, {"doctor"}, &output) == 1);
    CHECK_THAT(output, ContainsSubstring("BAD   memory          allkeys-lru"));
    CHECK_THAT(output, ContainsSubstring("warn  persistence"));
}

TEST_CASE("cli doctor: only its own keys and connections are touched", "[cli][doctor]")
{
    redis_server server;
    server.command({"SET", "holdfast:doctor", "of another program"});
    resp_client other(server.socket_path());
    auto const number = other.command({"CLIENT", "ID"}).integer;
    other.command({"SUBSCRIBE", "redisson_lock__channel:{holdfast:doctor}"});
    CHECK(run_tool(server, {"doctor"}) == 0);
    CHECK(server.command({"GET", "holdfast:doctor"}).text == "of another program");
    CHECK(server.command({"DBSIZE"}).integer == 1);
    auto const list = server.command({"CLIENT", "LIST"}).text;
    CHECK_THAT(list, ContainsSubstring("id=" + std::to_string(number) + " "));
    CHECK(server.command({"PUBSUB", "NUMSUB", "redisson_lock__channel:{holdfast:doctor}"}).items.at(1).integer == 1);
    CHECK(server.calls("client|kill") + server.calls("client") >= 1);
}

TEST_CASE("cli doctor: two doctors at the same time do not meet", "[cli][doctor]")
{
    redis_server server{"appendonly yes"};
    tool one(server, {"doctor"}), two(server, {"doctor"});
    CHECK(one.wait() == 0);
    CHECK(two.wait() == 0);
    CHECK(count_warnings(one.output()) + count_warnings(two.output()) == 0);
    CHECK(server.command({"DBSIZE"}).integer == 0);
}

TEST_CASE("cli doctor: a replica is bad, and gets no write", "[cli][doctor]")
{
    redis_server primary;
    redis_server replica{"replicaof 127.0.0.1 " + std::to_string(primary.port())};
    REQUIRE(eventually([&] { return replica.info("master_link_status") == "up"; }));
    std::string output;
    CHECK(run_tool(replica, {"doctor"}, &output) == 1);
    CHECK_THAT(output, ContainsSubstring("BAD   replicas        this is a replica"));
    CHECK(output.find("rights") == output.npos);
}

TEST_CASE("cli doctor: a server that does not know HELLO is bad, with exit status 69", "[cli][doctor]")
{
    redis_server server{"rename-command HELLO \"\""};
    std::string output;
    CHECK(run_tool(server, {"doctor"}, &output) == 69);
    CHECK_THAT(output, ContainsSubstring("BAD   HELLO 3         no: Holdfast cannot use this server"));
}

TEST_CASE("cli doctor: a name that no lock can have is refused", "[cli][doctor]")
{
    redis_server server;
    CHECK(run_tool(server, {"doctor", "a{b"}) == 64);
}

TEST_CASE("cli doctor: the exit status is 69 if no server is reachable", "[cli]")
{
    tool t("redis://127.0.0.1:1", {"doctor"});
    CHECK(t.wait() == 69);
}
