//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "engine/port/refusal.hpp"
#include "support/interval_checker.hpp"

namespace holdfast {
namespace error_test {

TEST_CASE("every error has a message and exactly one condition, but none if a task called the operation off", "[error]")
{
    for (int i = 1; i <= static_cast<int>(errc::latch_removed); ++i) {
        error_code const ec = static_cast<errc>(i);
        CHECK(ec.message() != "unknown holdfast error");
        auto const conditions = (ec == cond::ownership_lost) + (ec == cond::retry_later) + (ec == cond::misconfigured)
                                + (ec == cond::misuse) + (ec == cond::stopped);
        CHECK(conditions == (ec == errc::latch_removed ? 0 : 1));
    }
}

TEST_CASE(
    "each error has the condition that fits it: ownership lost, retry later, misconfigured, misuse or stopped",
    "[error]")
{
    CHECK(error_code(errc::lease_lost) == cond::ownership_lost);
    for (auto e : {errc::busy, errc::unavailable, errc::no_quorum, errc::server_refused})
        CHECK(error_code(e) == cond::retry_later);
    for (auto e : {errc::wrong_type, errc::not_permitted, errc::protocol})
        CHECK(error_code(e) == cond::misconfigured);
    CHECK(error_code(errc::owner_in_use) == cond::misuse);
    CHECK(error_code(errc::client_stopped) == cond::stopped);
    CHECK(error_code(errc::busy) != cond::misuse);
}

TEST_CASE("error replies are classified by their text", "[refusal]")
{
    using engine::classify;
    using engine::refusal;
    CHECK(classify("NOSCRIPT No matching script.") == refusal::no_script);
    CHECK(classify("WRONGTYPE Operation against a key") == refusal::wrong_type);
    CHECK(classify("NOPERM this user has no permissions") == refusal::not_permitted);
    CHECK(classify("ERR The user executing the script can't run this command") == refusal::not_permitted);
    CHECK(
        classify("ERR ACL failure in script: User poor has no permissions to run the 'set' command")
        == refusal::not_permitted);
    CHECK(classify("ERR ACL failure in script: No permissions to access a channel") == refusal::not_permitted);
    CHECK(classify("READONLY You can't write against a read only replica.") == refusal::read_only);
    CHECK(classify("BUSY Redis is busy running a script.") == refusal::not_now);
    CHECK(classify("LOADING Redis is loading the dataset in memory") == refusal::not_now);
    CHECK(classify("OOM command not allowed when used memory > 'maxmemory'.") == refusal::out_of_resources);
    CHECK(classify("MOVED 3999 127.0.0.1:6381") == refusal::moved);
    CHECK(classify("ASK 3999 127.0.0.1:6381") == refusal::ask);
    CHECK(classify("TRYAGAIN Multiple keys request during rehashing of slot") == refusal::try_again);
    CHECK(classify("CLUSTERDOWN The cluster is down") == refusal::not_now);
    CHECK(classify("CROSSSLOT Keys in request don't hash to the same slot") == refusal::unsupported);
    // Redis 6.2, and 7.0 and later.
    CHECK(
        classify(
            "ERR Error running script (call to f_0): @user_script:1: @user_script: 1: Lua script attempted to access a "
            "non local key in a cluster node")
        == refusal::half_applied);
    CHECK(
        classify("ERR Script attempted to access a non local key in a cluster node script: 0, on @user_script:1.")
        == refusal::half_applied);
    // Redis 8.2, of a key that the script does not declare.
    CHECK(
        classify(
            "ERR Unable to execute command 'exists' in script because undeclared keys were accessed during rehashing "
            "of the slot script: 0, on @user_script:1.")
        == refusal::half_applied);
    // Valkey 9.
    CHECK(
        classify("ERR Attempted to access a non local key in a cluster node script: on @user_script:1.")
        == refusal::half_applied);
    CHECK(classify("ERR syntax error") == refusal::unsupported);
    CHECK(classify("ERR increment or decrement would overflow") == refusal::unsupported);
    CHECK(
        classify("ERR user_script:3: attempt to index a nil value script: 0, on @user_script:3.")
        == refusal::unsupported);
    CHECK(classify("unsupported command 'evalsha'") == refusal::unsupported);
    CHECK(classify("ERR upstream failure") == refusal::other);
    CHECK(classify("") == refusal::other);
}

TEST_CASE("the error of a command in a script is classified behind the places that Redis 6.2 writes first", "[refusal]")
{
    using engine::classify;
    using engine::refusal;
    auto const raised = [](std::string const& cause) {
        return classify("ERR Error running script (call to f_862fd74e4f36841de8815c2cb94a83642bd83539): " + cause);
    };
    std::string const place = "@user_script: 12: ";
    for (auto const& before : {"@user_script:1: " + place, place}) {
        CAPTURE(before);
        CHECK(raised(before + "-OOM command not allowed when used memory > 'maxmemory'.") == refusal::out_of_resources);
        CHECK(raised(before + "-MISCONF Redis is configured to save RDB snapshots") == refusal::out_of_resources);
        CHECK(raised(before + "-NOREPLICAS Not enough good replicas to write.") == refusal::out_of_resources);
        CHECK(raised(before + "-READONLY You can't write against a read only replica.") == refusal::read_only);
        CHECK(raised(before + "-MASTERDOWN Link with MASTER is down") == refusal::not_now);
        CHECK(raised(before + "-NOPERM this user has no permissions") == refusal::not_permitted);
        CHECK(raised(before + "The user executing the script can't run this command") == refusal::not_permitted);
        CHECK(raised(before + "WRONGTYPE Operation against a key") == refusal::wrong_type);
        CHECK(raised(before + "Wrong number of args calling Redis command From Lua script") == refusal::unsupported);
        CHECK(raised(before) == refusal::other);
    }
    // Without the first part if the script returns the error.
    CHECK(classify(place + "-OOM command not allowed when used memory > 'maxmemory'.") == refusal::out_of_resources);
    CHECK(classify(place + "-READONLY You can't write against a read only replica.") == refusal::read_only);
}

TEST_CASE("an error is known behind the word that a managed proxy writes before it", "[refusal]")
{
    using engine::classify;
    using engine::refusal;
    CHECK(classify("ERR READONLY You can't write against a read only replica.") == refusal::read_only);
    CHECK(classify("-ERR LOADING Redis is loading the dataset in memory") == refusal::not_now);
    CHECK(classify("ERR NOREPLICAS Not enough good replicas to write.") == refusal::out_of_resources);
    CHECK(classify("ERR AUTH <password> called without any password configured") == refusal::not_permitted);
}

TEST_CASE("a code that another error only quotes does not classify it", "[refusal]")
{
    using engine::classify;
    using engine::refusal;
    CHECK(
        classify("ERR unknown command 'x', with args beginning with: '@user_script: 1: -OOM' ")
        == refusal::unsupported);
    CHECK(classify("ERR invalid value -OOM") == refusal::other);
}

TEST_CASE("the interval checker finds overlapping holds and fencing tokens that do not grow", "[interval_checker]")
{
    using test::find_violation;
    CHECK_FALSE(find_violation({}));
    CHECK_FALSE(find_violation({{"a", "x", 0, 10}, {"a", "y", 10, 20}, {"b", "z", 5, 15}}));
    CHECK(find_violation({{"a", "x", 0, 10}, {"a", "y", 9, 20}}));
    CHECK(find_violation({{"a", "x", 0, 100}, {"a", "y", 100, 101}, {"a", "z", 50, 51}}));
    CHECK_FALSE(find_violation({{"a", "x", 0, 10, 5}, {"a", "y", 10, 20, 6}}));
    CHECK(find_violation({{"a", "x", 0, 10, 5}, {"a", "y", 10, 20, 5}}));
    CHECK_FALSE(find_violation({{"a", "x", 10, 10}, {"a", "y", 9, 20}}));  // an empty interval: the lock was never held
}

}  // namespace error_test
}  // namespace holdfast
