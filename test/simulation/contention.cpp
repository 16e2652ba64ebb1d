//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests: every contender completes, no two leases overlap within their validity, nothing is left behind.

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("mutual exclusion and prompt progress hold without faults", "[contention]")
{
    run_contests({.is_prompt = true}, seeds_or(2'000));
}

TEST_CASE("nobody is granted a lock within at_least of the grant before", "[contention][at_least]")
{
    run_contests({.at_least = 300ms, .cancel = 0.3}, seeds_or(500));
}

TEST_CASE(
    "nobody is granted a lock within at_least of the grant before, also if holders are killed",
    "[contention][at_least]")
{
    run_contests({.processes = 3, .at_least = 300ms, .cancel = 0.2, .kill = 0.7}, seeds_or(500));
}

TEST_CASE(
    "nobody is granted a lock within at_least of the grant before, also over a bad network", "[contention][at_least]")
{
    run_contests(
        {.at_least = 300ms, .cancel = 0.2, .faults = {.lose_reply = 0.01, .delay_request = 0.05, .disconnect = 0.01}},
        seeds_or(500));
}

TEST_CASE("mutual exclusion and progress hold when acquires are cancelled", "[contention]")
{
    run_contests({.cancel = 0.5}, seeds_or(2'000));
}

TEST_CASE(
    "mutual exclusion and prompt progress hold when writes are split and messages overtake replies", "[contention]")
{
    run_contests(
        {.rounds = 10,
         .locks = 1,
         .longest_hold = 5ms,
         .is_prompt = true,
         .faults = {.split_write = 0.5, .early_push = 0.5},
         .network = {.delay = {100us, 5ms}}},
        seeds_or(500));
}

TEST_CASE("mutual exclusion and prompt progress hold for two contenders when writes are split", "[contention]")
{
    // There are few releases, so that a lost message shows as a delay.
    run_contests(
        {.contenders = 1,
         .rounds = 3,
         .locks = 1,
         .longest_hold = 5ms,
         .is_prompt = true,
         .faults = {.split_write = 0.5, .early_push = 0.5},
         .network = {.delay = {100us, 5ms}}},
        seeds_or(1'000));
}

TEST_CASE("mutual exclusion and prompt progress hold over a slow network", "[contention]")
{
    run_contests({.cancel = 0.2, .is_prompt = true, .network = {.delay = {1ms, 60ms}}}, seeds_or(500));
}

TEST_CASE("mutual exclusion and progress hold when every push is dropped", "[contention]")
{
    run_contests({.cancel = 0.2, .faults = {.drop_push = 1}}, seeds_or(500));
}

TEST_CASE("mutual exclusion and progress hold over an unreliable network", "[contention]")
{
    run_contests(
        {.cancel = 0.3,
         .faults =
             {.lose_request = 0.01,
              .lose_reply = 0.01,
              .delay_request = 0.01,
              .disconnect = 0.02,
              .split_write = 0.1,
              .refuse_connect = 0.2,
              .drop_push = 0.1,
              .flush_scripts = 0.02}},
        seeds_or(2'000));
}

TEST_CASE("mutual exclusion and progress hold when the server pauses", "[contention]")
{
    run_contests(
        {.cancel = 0.3, .faults = {.disconnect = 0.01, .pause_server = 0.01, .flush_scripts = 0.01}}, seeds_or(1'000));
}

TEST_CASE("mutual exclusion and progress hold when processes pause or are killed", "[contention]")
{
    run_contests(
        {.processes = 4, .contenders = 3, .cancel = 0.2, .kill = 0.3, .pause = 0.5, .faults = {.disconnect = 0.01}},
        seeds_or(1'500));
}

TEST_CASE("contenders make progress and leave nothing behind when the server loses data", "[contention]")
{
    run_contests(
        {.cancel = 0.3,
         .data_is_safe = false,
         .faults =
             {.disconnect = 0.01,
              .restart_server = 0.01,
              .delete_key = 0.02,
              .flush_scripts = 0.02,
              .step_clock = 0.01}},
        seeds_or(1'000));
}

TEST_CASE("two contests with the same seed have the same trace", "[contention]")
{
    contest_options const options{
        .seed = 42, .cancel = 0.5, .faults = {.disconnect = 0.02, .drop_push = 0.1}, .trace = true};
    CHECK(run_contest(options).digest == run_contest(options).digest);
}

TEST_CASE("the contest reports a fault when keys of held locks are deleted", "[contention][control]")
{
    unsigned violations = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        violations += run_contest({.seed = seed, .kind = contested_kind::mutex, .faults = {.delete_key = 0.1}})
                          .fault.has_value();
    CHECK(violations > 0);
}

}  // namespace
}  // namespace holdfast::test
