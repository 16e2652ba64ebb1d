//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tool/probes.hpp"

namespace holdfast::cli {
namespace doctor_probes_test {

using Catch::Matchers::ContainsSubstring;
using kind = command_reply::kind;

probe const& probe_of(std::string_view topic, condition when)
{
    for (auto const& p : probes())
        if (p.topic == topic && p.when == when)
            return p;
    throw std::logic_error("no such probe");
}

// The probe at a server that is no cluster.
probe const& probe_of(std::string_view topic)
{
    for (auto const& p : probes())
        if (p.topic == topic && applies(p.when, names_for("job", "1")))
            return p;
    throw std::logic_error("no such probe");
}

command_reply error(std::string words)
{
    return {.type = kind::error, .text = std::move(words)};
}

command_reply number(std::int64_t n)
{
    return {.type = kind::integer, .integer = n};
}

command_reply text(std::string words)
{
    return {.type = kind::text, .text = std::move(words)};
}

constexpr auto no_eval = "NOPERM User locks has no permissions to run the 'eval' command";
constexpr auto no_key = "NOPERM No permissions to access a key";
constexpr auto no_command_in_script =
    "ERR The user executing the script can't run this command or subcommand script: f_1";

TEST_CASE("doctor probes: without a reply nothing is concluded", "[doctor]")
{
    for (auto const& p : probes()) {
        CAPTURE(p.topic);
        CHECK(p.judge({}) == verdict::untested);
        CHECK(p.judge(error("LOADING Redis is loading the dataset in memory")) == verdict::untested);
        CHECK_THAT(to_finding(p, {}).words, ContainsSubstring("not tested: the server did not reply"));
    }
}

TEST_CASE("doctor: a small limit of output for clients with subscriptions is a warning", "[doctor]")
{
    auto const of = [](std::string limits) {
        command_reply r{.type = kind::list};
        r.items = {"client-output-buffer-limit", std::move(limits)};
        return judge_output_limit(r);
    };
    auto const usual = of("normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60");
    CHECK(usual.grade == grade::good);
    CHECK_THAT(usual.words, ContainsSubstring("pubsub 33554432 8388608 60"));
    CHECK(of("normal 1 1 1 slave 1 1 1 pubsub 0 0 0").grade == grade::good);
    for (auto const* const small : {"2048 1024 1", "2048 0 0", "0 1024 60", "33554432 1024 60"}) {
        auto const f = of("normal 0 0 0 slave 0 0 0 pubsub " + std::string(small));
        CHECK(f.grade == grade::doubtful);
        CHECK_THAT(f.words, ContainsSubstring(small) && ContainsSubstring("closes the connection"));
    }
    CHECK(of("").grade == grade::good);
}

TEST_CASE("doctor: a server that denies CONFIG GET lacks nothing", "[doctor]")
{
    auto const denied = judge_output_limit(error("NOPERM no permissions to run the 'config|get' command"));
    CHECK(denied.grade == grade::good);
    CHECK_THAT(denied.words, ContainsSubstring("not known (NOPERM"));
    CHECK(judge_output_limit({}).grade == grade::good);
    CHECK(judge_output_limit({.type = kind::list}).grade == grade::good);
}

TEST_CASE("doctor probes: a denied command is missing, and the server's words are reported", "[doctor]")
{
    for (auto const* topic : {"SUBSCRIBE", "UNSUBSCRIBE", "SSUBSCRIBE", "WAIT"}) {
        CAPTURE(topic);
        auto const& p = probe_of(topic);
        auto const f = to_finding(p, error("NOPERM this user has no permissions"));
        CHECK(f.grade == p.without);
        CHECK_THAT(f.words, ContainsSubstring(std::string(p.consequence)) && ContainsSubstring("(NOPERM this user"));
    }
}

TEST_CASE("doctor probes: what Holdfast does not use with redis:// may be missing", "[doctor]")
{
    std::map<std::string, std::string> const without{
        {"SSUBSCRIBE", "Holdfast does not need it"}, {"WAIT", "config::acknowledged_by cannot be used"}};
    for (auto const& [topic, words] : without) {
        auto const f = to_finding(probe_of(topic), error("ERR unknown command"));
        CHECK(f.grade == grade::good);
        CHECK_THAT(f.words, ContainsSubstring(words));
        CHECK(to_finding(probe_of(topic), {}).grade == grade::good);
    }
}

TEST_CASE("doctor probes: a subscription works if the PING behind it is answered", "[doctor]")
{
    for (auto const* topic : {"SUBSCRIBE", "UNSUBSCRIBE", "SSUBSCRIBE"}) {
        CHECK(probe_of(topic).judge(text("PONG")) == verdict::works);
        CHECK(probe_of(topic).from == sender::subscriber);
    }
}

TEST_CASE("doctor probes: a script that is denied as such tests nothing", "[doctor]")
{
    for (auto const& p : probes()) {
        if (p.command(names_for("job", "1")).front() != "EVAL")
            continue;
        CAPTURE(p.topic);
        CHECK(p.judge(error(no_eval)) == verdict::untested);
        CHECK(p.judge(error(no_key)) == verdict::untested);
        CHECK(p.judge(number(1)) == verdict::works);
    }
}

TEST_CASE("doctor probes: PUBLISH may be denied to a script alone", "[doctor]")
{
    auto const& p = probe_of("PUBLISH");
    CHECK(p.judge(error(no_command_in_script)) == verdict::lacks);
    CHECK(
        p.judge(error("ERR ACL failure in script: User locks has no permissions to run the 'publish' command"))
        == verdict::lacks);
    CHECK(p.judge(error("ERR This Redis command is not allowed from script")) == verdict::lacks);
    CHECK_THAT(to_finding(p, error(no_command_in_script)).words, ContainsSubstring("wakes no waiter"));
}

TEST_CASE("doctor probes: a cluster refuses keys of several slots, which is a fault elsewhere only", "[doctor]")
{
    auto const refused = error("CROSSSLOT Keys in request don't hash to the same slot");
    auto const in_cluster = to_finding(probe_of("several slots", condition::slots_of_only_node), refused);
    CHECK(in_cluster.grade == grade::good);
    CHECK_THAT(in_cluster.words, ContainsSubstring("only the locks of one hash slot"));
    auto const elsewhere = to_finding(probe_of("several slots", condition::slots_outside_cluster_mode), refused);
    CHECK(elsewhere.grade == grade::doubtful);
    CHECK_THAT(elsewhere.words, ContainsSubstring("one by one"));
}

TEST_CASE("doctor probes: a server may refuse undeclared keys, and access rules may deny them", "[doctor]")
{
    auto const& p = probe_of("undeclared keys");
    CHECK(p.judge(error("ERR Error running script: script tried accessing undeclared key")) == verdict::lacks);
    CHECK(p.judge(error(no_command_in_script)) == verdict::untested);
    CHECK(p.judge(error("ERR ACL failure in script: No permissions to access a key")) == verdict::untested);
}

TEST_CASE("doctor probes: the keys that belong to a lock may be denied, or the command that asks for them", "[doctor]")
{
    auto const& p = probe_of("keys");
    CHECK(p.judge(number(0)) == verdict::works);
    CHECK(p.judge(error(no_key)) == verdict::lacks);
    CHECK(p.judge(error("NOPERM this user has no permissions to run the 'exists' command")) == verdict::untested);
}

TEST_CASE("doctor probes: CLIENT KILL must end one connection", "[doctor]")
{
    auto const& known = probe_of("CLIENT KILL", condition::spare_is_known);
    CHECK(known.judge(number(1)) == verdict::works);
    CHECK(known.judge(number(0)) == verdict::lacks);  // a proxy, with numbers of its own
    CHECK(known.judge(error("NOPERM")) == verdict::lacks);
    CHECK_THAT(to_finding(known, number(0)).words, ContainsSubstring("one key that no client renews may stay"));

    auto const& unknown = probe_of("CLIENT KILL", condition::spare_is_unknown);
    CHECK(unknown.judge(number(0)) == verdict::works);
    CHECK(unknown.judge(error("NOPERM")) == verdict::lacks);
}

TEST_CASE("doctor probes: CLUSTER SLOTS is missing only if it is denied", "[doctor]")
{
    auto const& p = probe_of("CLUSTER SLOTS", condition::only_node);
    CHECK(p.judge(error(no_command_in_script)) == verdict::lacks);
    CHECK(p.judge(error("ERR This Redis command is not allowed from script")) == verdict::untested);
}

TEST_CASE("doctor probes: a probe applies under its condition", "[doctor]")
{
    auto names = names_for("order:1", "ab");
    CHECK(applies(condition::always, names));
    CHECK(applies(condition::slots_outside_cluster_mode, names));
    CHECK_FALSE(applies(condition::slots_of_only_node, names));
    CHECK_FALSE(applies(condition::only_node, names));
    CHECK_FALSE(applies(condition::spare_is_known, names));
    CHECK(applies(condition::spare_is_unknown, names));
    names.in_cluster_mode = true;
    names.spare_id = "17";
    CHECK_FALSE(applies(condition::slots_outside_cluster_mode, names));
    CHECK(applies(condition::slots_of_only_node, names));
    CHECK(applies(condition::only_node, names));
    CHECK(applies(condition::spare_is_known, names));
    CHECK_FALSE(applies(condition::spare_is_unknown, names));
    CHECK_FALSE(applies(condition::slots_outside_cluster_mode, names_for("{a}b", "ab")));
}

TEST_CASE("doctor probes: what clusters need is tried over a cluster only", "[doctor]")
{
    auto names = names_for("order:1", "ab");
    CHECK(applies(condition::outside_cluster, names));
    CHECK(applies(condition::plain_messages, names));
    CHECK_FALSE(applies(condition::over_cluster, names));
    names.in_cluster_mode = names.over_cluster = true;  // before version 7.0
    CHECK(applies(condition::over_cluster, names));
    CHECK(applies(condition::plain_messages, names));
    CHECK_FALSE(applies(condition::sharded_messages, names));
    for (auto const c :
         {condition::outside_cluster,
          condition::only_node,
          condition::slots_of_only_node,
          condition::slots_outside_cluster_mode})
        CHECK_FALSE(applies(c, names));
    names.sharded_messages = true;
    CHECK(applies(condition::sharded_messages, names));
    CHECK_FALSE(applies(condition::plain_messages, names));
}

TEST_CASE("doctor probes: over a cluster a denied right is reported, with what Holdfast does without it", "[doctor]")
{
    auto const denied = error("NOPERM this user has no permissions");
    for (auto const* topic : {"SSUBSCRIBE", "SUNSUBSCRIBE", "CLIENT REPLY"})
        CHECK(to_finding(probe_of(topic, condition::sharded_messages), denied).grade == grade::doubtful);
    CHECK_THAT(
        to_finding(probe_of("SPUBLISH", condition::sharded_messages), error(no_command_in_script)).words,
        ContainsSubstring("wakes no waiter"));
    CHECK_THAT(to_finding(probe_of("ASKING", condition::over_cluster), denied).words, ContainsSubstring("may be lost"));
    CHECK_THAT(
        to_finding(probe_of("CLUSTER SLOTS", condition::over_cluster), error(no_command_in_script)).words,
        ContainsSubstring("cannot begin with this node"));
}

TEST_CASE("doctor probes: no command concerns a key, a channel or a connection of another program", "[doctor]")
{
    auto names = names_for("job", "0123456789abcdef");
    names.spare_id = "17";
    for (auto const& p : probes()) {
        auto const words = p.command(names);
        CAPTURE(p.topic, words);
        for (auto const& w : words)
            CHECK((w.find("job") == w.npos || w.find("job:0123456789abcdef") != w.npos));
        if (words.front() != "CLIENT" || words.at(1) == "REPLY")
            continue;
        // The spare connection ends itself; a command of another one names the greatest number, which none has.
        if (p.from == sender::spare)
            CHECK(words == std::vector<std::string>{"CLIENT", "KILL", "ID", "17", "SKIPME", "no"});
        else
            CHECK(words == std::vector<std::string>{"CLIENT", "KILL", "ID", "9223372036854775807"});
    }
}

}  // namespace doctor_probes_test
}  // namespace holdfast::cli
