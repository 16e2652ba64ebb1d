//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Both libraries take the fencing tokens of a lock from one counter.

#include <charconv>
#include <cstdint>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "interop/meeting.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t token_of(peer_process::request const& grant)
{
    std::uint64_t token = 0;
    auto const text = grant.text().substr(std::string("granted ").size());
    std::from_chars(text.data(), text.data() + text.size(), token);
    return token;
}

std::uint64_t enter_and_leave(peer_process& side, lock_id const& lock)
{
    auto const grant = side.acquire(lock, 1);
    REQUIRE(is_grant(grant));
    CHECK(side.release(lock, 1).text() == "released");
    return token_of(grant);
}

TEST_CASE("fencing tokens of both libraries are one growing sequence", "[interop][fencing]")
{
    auto& m = the_meeting();
    lock_id const lock{"fenced", new_name()};
    auto const counter = "redisson_lock_token:{" + lock.name + "}";
    CHECK(enter_and_leave(m.redisson(), lock) == 1);

    std::uint64_t last = 1;
    for (int i = 0; i < 20; ++i) {
        auto const ours = enter_and_leave(m.holdfast(), lock);
        auto const theirs = enter_and_leave(m.redisson(), lock);
        CHECK(ours > last);
        CHECK(theirs == ours + 1);
        last = theirs;
    }
    CHECK(last < (std::uint64_t(1) << 53));
    CHECK(m.server().command({"GET", counter}).text == std::to_string(last));
    CHECK(m.server().command({"PTTL", counter}).integer == -1);
}

TEST_CASE("fencing tokens still grow after the counter is deleted or gets a time to live", "[interop][fencing]")
{
    auto& m = the_meeting();
    lock_id const lock{"fenced", new_name()};
    auto const counter = "redisson_lock_token:{" + lock.name + "}";
    auto const first = enter_and_leave(m.holdfast(), lock);
    m.server().command({"PEXPIRE", counter, "60000"});
    CHECK(enter_and_leave(m.redisson(), lock) == first + 1);
    CHECK(m.server().command({"PTTL", counter}).integer > 0);  // Redisson keeps it: the counter would restart
    auto const second = enter_and_leave(m.holdfast(), lock);
    CHECK(second > first + 1);
    CHECK(m.server().command({"PTTL", counter}).integer == -1);
    m.server().command({"DEL", counter});
    CHECK(enter_and_leave(m.holdfast(), lock) > second);
}

TEST_CASE("a re-entry has the fencing token of the hold that it enters", "[interop][fencing]")
{
    auto& m = the_meeting();
    lock_id const lock{"fenced", new_name()};
    auto const outer = m.holdfast().acquire(lock, 1);
    REQUIRE(is_grant(outer));
    auto const inner = m.holdfast().acquire(lock, 1);
    REQUIRE(is_grant(inner));
    CHECK(token_of(outer) == token_of(inner));
    CHECK(m.holdfast().release(lock, 1).text() == "released");
    CHECK(m.holdfast().release(lock, 1).text() == "released");
    CHECK(enter_and_leave(m.redisson(), lock) == token_of(outer) + 1);
}

}  // namespace
}  // namespace holdfast::test
