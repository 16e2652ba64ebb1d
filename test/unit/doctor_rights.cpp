//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <map>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "scripts_generated.hpp"
#include "support/acquire_calls.hpp"
#include "tool/rights.hpp"

namespace holdfast::cli {
namespace doctor_rights_test {

using Catch::Matchers::ContainsSubstring;
using detail::command_reply;

unsigned need_of(std::string_view script)
{
    if (script.starts_with("mutex_"))
        return needs_mutex;
    if (script.starts_with("reentrant_"))
        return needs_reentrant;
    if (script.starts_with("fair_"))
        return needs_fair | needs_election;  // whose lock is a fair lock
    if (script.starts_with("latch_"))
        return needs_latch;
    if (script.starts_with("election_"))
        return needs_election;
    if (script.starts_with("permits_"))
        return needs_semaphore;
    return script.starts_with("lock_") ? needs_queries : needs_read_write;
}

command_reply list(std::vector<std::string> items)
{
    return {.type = command_reply::kind::list, .items = std::move(items)};
}

command_reply error(std::string words)
{
    return {.type = command_reply::kind::error, .text = std::move(words)};
}

TEST_CASE("doctor rights: the table names each command of each script, and nothing else", "[doctor]")
{
    std::map<std::string, unsigned> needs;
    for (auto const& script : engine::scripts::all)
        for (auto const& command : test::commands_of(script))
            if (command != "publish")  // has a probe of its own, because its error is ignored
                needs[command] |= need_of(script.name);
    // The commands that no script calls: SET NX and the probe of a waiter of a mutex, is_locked() of all locks and of a
    // semaphore.
    for (auto const* command : {"set", "type", "pttl"})
        needs[command] |= needs_mutex;
    needs["exists"] |= needs_mutex | needs_reentrant | needs_fair | needs_read_write;
    needs["getrange"] |= needs_semaphore;
    CHECK(rights().size() == needs.size());
    for (auto const& [command, need] : needs) {
        CAPTURE(command);
        auto const found = std::ranges::find(rights(), command, &right::command);
        REQUIRE(found != rights().end());
        CHECK(found->needs == need);
    }
}

TEST_CASE("doctor rights: the script tries each command of the table", "[doctor]")
{
    auto const words = rights_script("k");
    CHECK(words.at(0) == "EVAL");
    CHECK(words.at(2) == "1");
    CHECK(words.at(3) == "k");
    for (auto const& r : rights()) {
        CAPTURE(r.command);
        CHECK_THAT(words.at(1), ContainsSubstring("'" + std::string(r.command) + "'"));
    }
}

TEST_CASE("doctor rights: only denials count, and those of all locks are bad", "[doctor]")
{
    CHECK(judge_rights(list({})).grade == grade::good);
    CHECK(
        judge_rights(list({"hset", "WRONGTYPE Operation against a key", "set", "OOM command not allowed"})).grade
        == grade::good);
    auto const fair = judge_rights(
        list({"zadd", "ACL failure in script: User locks has no permissions to run 'zadd'"}));
    CHECK(fair.grade == grade::doubtful);
    CHECK_THAT(fair.words, ContainsSubstring("zadd for fair_lock") && ContainsSubstring("not_permitted"));
    auto const most = judge_rights(list(
        {"unlink",
         "The user executing the script can't run this command or subcommand",
         "mget",
         "NOPERM no permissions"}));
    CHECK(most.grade == grade::bad);
    CHECK_THAT(
        most.words,
        ContainsSubstring("unlink for all locks, semaphore, election, latch, holders()")
            && ContainsSubstring("mget for mutex"));
}

TEST_CASE("doctor rights: a script that is refused, or has no reply, tests nothing", "[doctor]")
{
    auto const denied = judge_rights(error("NOPERM User locks has no permissions to run the 'eval' command"));
    CHECK(denied.grade == grade::bad);
    CHECK_THAT(denied.words, ContainsSubstring("not tested (NOPERM"));
    CHECK(judge_rights(error("BUSY Redis is busy running a script")).grade == grade::doubtful);
    CHECK(judge_rights({}).grade == grade::doubtful);
}

}  // namespace doctor_rights_test
}  // namespace holdfast::cli
