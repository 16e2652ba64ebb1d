//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of semaphores in a half-moved hash slot, all of whose keys are at the source still. When a script removes
// the last member, the timeouts are gone, and every later command for that key fails. No permit is lost then: free and
// held ones add up to the number of permits as before.

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "scripts_generated.hpp"
#include "sim/command_words.hpp"
#include "simulation/half_moved_slot.hpp"

namespace holdfast::test {
namespace {

namespace scripts = engine::scripts;

using Catch::Matchers::StartsWith;

class half_moved_semaphore : public half_moved_slot {
    static constexpr auto counter = "permits";
    static constexpr auto timeouts = "{permits}:timeout";
    static constexpr auto waiting = "holdfast_permit_waiting:{permits}";
    static constexpr auto numbers = "holdfast_permit_numbers:{permits}";
    static constexpr auto queue = "holdfast_permit_queue:{permits}";
    static constexpr auto waiters = "holdfast_permit_waiters:{permits}";
    static constexpr auto fence = "holdfast_fence:{permits}";

public:
    half_moved_semaphore() : half_moved_slot(counter) {}

    // Takes all permits, and lets somebody wait for one. Scripts need each of their keys in a half-moved slot, also that
    // of those who wait.
    void take_all(strings const& contenders)
    {
        REQUIRE(acquire(contenders) == "nil");
        REQUIRE(acquire({holder(99), "1"}, true).starts_with("[0, "));
    }
    void take_all_numbers()
    {
        for (int const n : {1, 2, 3})
            REQUIRE(acquire_numbered(n).starts_with("[1, "));
        REQUIRE(acquire_numbered(99, true).starts_with("[0, "));
    }
    std::string acquire(strings const& contenders, bool waits = false)
    {
        strings arguments{"2000", "3", "86400000", "channel", waits ? "1" : "0"};
        arguments.insert(arguments.end(), contenders.begin(), contenders.end());
        return run(scripts::permits_acquire, {counter, timeouts, waiting}, arguments);
    }
    std::string acquire_numbered(int n, bool waits = false)
    {
        return run(
            scripts::permits_acquire_numbered,
            {counter, timeouts, waiting, numbers, fence},
            {"2000", "3", "86400000", "channel", holder(n), "86400000", waits ? "1" : "0"});
    }
    std::string acquire_fairly(int n)
    {
        return run(
            scripts::permits_fair_acquire,
            {counter, timeouts, queue, waiters},
            {"2000", "3", "86400000", "channel", holder(n), "1", "15000", "1"});
    }
    std::string release(int n)
    {
        return run(scripts::permits_release, {counter, timeouts, waiting}, {"channel", holder(n), "1"});
    }
    std::string release_all(std::vector<int> const& of)
    {
        strings arguments;
        for (int const n : of)
            arguments.insert(arguments.end(), {holder(n), "1", arguments.empty() ? "channel" : ""});
        return run(scripts::permits_release_all, {counter, timeouts, waiting}, arguments);
    }
    std::string leave(int n)
    {
        return run(
            scripts::permits_fair_leave, {counter, timeouts, queue, waiters}, {holder(n), "1", "channel", "15000"});
    }
    std::string set(std::string const& total)
    {
        return run(scripts::permits_set, {counter, timeouts, waiting}, {total, "86400000", "channel"});
    }
    std::string force_release()
    {
        return run(scripts::permits_force_release, {counter, timeouts, waiting}, {"channel", ""});
    }

    std::int64_t free_and_held()
    {
        end_move();
        auto const free = simulated::to_integer(at_destination({"GET", counter}).text).value_or(0);
        return free + at_destination({"ZCARD", timeouts}).integer;
    }
};

TEST_CASE_METHOD(
    half_moved_semaphore, "a batch of releases in a half-moved slot loses no permit", "[half-moved][semaphore]")
{
    take_all({holder(1), "1", holder(2), "2"});
    begin_move();
    // The last one was never granted: its attempt was lost.
    CHECK(release_all({1, 2, 3}) == "[1, 1, 0]");
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(half_moved_semaphore, "a release in a half-moved slot loses no permit", "[half-moved][semaphore]")
{
    take_all({holder(1), "1", holder(2), "2"});
    begin_move();
    CHECK(release(1) == "1");
    CHECK(free_and_held() == 3);
}

// The keys of those who wait have moved, or there are none: a script needs each of its keys at one server.
TEST_CASE_METHOD(
    half_moved_semaphore,
    "a release in a half-moved slot waits for the end of the move if nobody waits",
    "[half-moved][semaphore]")
{
    REQUIRE(acquire({holder(1), "1", holder(2), "2"}) == "nil");
    begin_move();
    CHECK_THAT(release(1), StartsWith("-TRYAGAIN"));
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    take_all({holder(1), "2", holder(2), "1"});
    begin_move();
    let_leases_end();
    acquire({holder(3), "1"});
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "numbered permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    take_all_numbers();
    begin_move();
    let_leases_end();
    acquire_numbered(4);
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore, "fair permits that are over are not lost in a half-moved slot", "[half-moved][semaphore]")
{
    for (int const n : {1, 2, 3})
        REQUIRE(acquire_fairly(n) == "nil");
    REQUIRE(acquire_fairly(4).starts_with("[0, "));
    begin_move();
    SECTION("the first waiter finds them")
    {
        let_leases_end();
        acquire_fairly(4);
    }
    SECTION("another client finds them")
    {
        let_leases_end();
        acquire_fairly(5);
    }
    SECTION("they are released")
    {
        for (int const n : {1, 2, 3, 4})
            leave(n);
    }
    CHECK(free_and_held() == 3);
}

TEST_CASE_METHOD(
    half_moved_semaphore,
    "set_permits() and force_release() lose no permit in a half-moved slot",
    "[half-moved][semaphore]")
{
    take_all({holder(1), "2", holder(2), "1"});
    begin_move();
    SECTION("the same number, when all are over")
    {
        let_leases_end();
        set("3");
    }
    SECTION("by force")
    {
        force_release();
    }
    CHECK(free_and_held() == 3);
}

}  // namespace
}  // namespace holdfast::test
