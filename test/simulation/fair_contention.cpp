//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests for fair locks: grants in order of arrival, every contender completes, nothing is left in the queue.

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Runs half of the seeds with fencing.
void run_fair_contests(contest_options options, std::uint64_t seeds)
{
    options.locks = 1;
    for (auto const kind : {contested_kind::fair, contested_kind::fenced_fair}) {
        options.kind = kind;
        run_contests(options, (seeds + 1) / 2);
    }
}

TEST_CASE("fair locks are granted in order and promptly without faults", "[fair_lock]")
{
    run_fair_contests({.contenders = 3, .rounds = 3, .is_in_order = true, .is_prompt = true}, seeds_or(1'000));
}

TEST_CASE("fair locks are granted in order and promptly when acquires are cancelled", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 3, .rounds = 4, .cancel = 0.5, .is_in_order = true, .is_prompt = true}, seeds_or(2'000));
}

TEST_CASE("nobody is granted a fair lock within at_least of the grant before", "[fair_lock][at_least]")
{
    run_fair_contests(
        {.contenders = 3, .rounds = 4, .at_least = 300ms, .cancel = 0.3, .is_in_order = true}, seeds_or(300));
    run_fair_contests({.contenders = 3, .rounds = 4, .at_least = 300ms, .cancel = 0.2, .kill = 0.7}, seeds_or(300));
}

TEST_CASE(
    "fair locks are granted in order and promptly when writes are split and messages overtake replies", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 2,
         .rounds = 4,
         .longest_hold = 5ms,
         .cancel = 0.2,
         .is_in_order = true,
         .is_prompt = true,
         .faults = {.split_write = 0.5, .early_push = 0.5},
         .network = {.delay = {100us, 5ms}}},
        seeds_or(1'500));
}

TEST_CASE("fair locks are granted in order when every push is dropped", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 2, .rounds = 3, .cancel = 0.2, .is_in_order = true, .faults = {.drop_push = 1}}, seeds_or(500));
}

TEST_CASE("fair locks are granted in order over an unreliable network", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 3,
         .rounds = 4,
         .cancel = 0.3,
         .is_in_order = true,
         .faults =
             {.lose_request = 0.01,
              .lose_reply = 0.02,
              .delay_request = 0.01,
              .disconnect = 0.02,
              .split_write = 0.1,
              .refuse_connect = 0.2,
              .drop_push = 0.1,
              .flush_scripts = 0.02}},
        seeds_or(2'000));
}

TEST_CASE("fair locks are granted in order when the server pauses", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 3,
         .rounds = 4,
         .cancel = 0.3,
         .is_in_order = true,
         .faults = {.disconnect = 0.01, .pause_server = 0.01, .flush_scripts = 0.01}},
        seeds_or(1'000));
}

TEST_CASE("fair locks keep exclusion and progress when processes pause or are killed", "[fair_lock]")
{
    run_fair_contests(
        {.processes = 4,
         .contenders = 2,
         .rounds = 3,
         .cancel = 0.2,
         .kill = 0.3,
         .pause = 0.5,
         .waiter_timeout = 2s,
         .faults = {.disconnect = 0.01}},
        seeds_or(1'000));
}

TEST_CASE("contenders for fair locks make progress when the server loses data", "[fair_lock]")
{
    run_fair_contests(
        {.contenders = 3,
         .rounds = 4,
         .cancel = 0.3,
         .data_is_safe = false,
         .waiter_timeout = 2s,
         .faults =
             {.disconnect = 0.01,
              .restart_server = 0.01,
              .delete_key = 0.02,
              .flush_scripts = 0.02,
              .step_clock = 0.01}},
        seeds_or(1'000));
}

}  // namespace
}  // namespace holdfast::test
