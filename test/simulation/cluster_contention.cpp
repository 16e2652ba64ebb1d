//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Contests over a Redis Cluster of several primaries, whose hash slots move meanwhile.

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using Catch::Generators::from_range;

using namespace std::chrono_literals;

contest_options over_three_primaries()
{
    return {.processes = 3, .contenders = 3, .rounds = 6, .locks = 4, .cancel = 0.1, .primaries = 3};
}

TEST_CASE("contenders for locks of several primaries exclude each other", "[cluster][contention]")
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.is_prompt = options.kind != contested_kind::read_write;
    run_contests(options, seeds_or(20));
}

TEST_CASE("contenders exclude each other while hash slots move", "[cluster][contention]")
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.moves = 4;
    run_contests(options, seeds_or(40));
}

TEST_CASE("contenders exclude each other while hash slots move and messages are lost", "[cluster][contention]")
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.moves = 2;  // no slot returns: a late acquire at a former primary could come after its release elsewhere
    options.faults = {.lose_request = 0.01, .lose_reply = 0.01, .delay_request = 0.02, .disconnect = 0.01};
    run_contests(options, seeds_or(40));
}

TEST_CASE("contenders exclude each other while hash slots move key by key", "[cluster][contention][half-moved]")
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.half_moves = 4;
    run_contests(options, seeds_or(30));
}

TEST_CASE(
    "contenders exclude each other while hash slots move key by key and messages are lost",
    "[cluster][contention][half-moved]")
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.half_moves = 2;  // no slot returns, as above
    options.faults = {.lose_request = 0.01, .lose_reply = 0.01, .delay_request = 0.02, .disconnect = 0.01};
    run_contests(options, seeds_or(30));
}

// The former primary wakes up after the promotion, and executes what lies in its sockets. Its replica had everything.
contest_options with_failovers()
{
    auto options = over_three_primaries();
    options.kind = GENERATE(from_range(every_kind));
    options.replicas = options.fail_overs = 2;
    options.replica_lag = {};
    return options;
}

// The replicas have not received the last writes. The lease time outlasts the bound of an overlap.
contest_options with_lost_writes()
{
    auto options = with_failovers();
    options.replica_lag = {100us, 50ms};
    options.config.lease = 9s;
    options.long_hold = 20s;
    return options;
}

TEST_CASE("contenders exclude each other while primaries fail over", "[cluster][contention][failover]")
{
    run_contests(with_failovers(), seeds_or(15));
}

TEST_CASE("contenders exclude each other while primaries fail over and slots move", "[cluster][contention][failover]")
{
    auto options = with_failovers();
    options.moves = 3;
    options.half_moves = 1;
    options.longest_half_move = 500ms;
    run_contests(options, seeds_or(15));
}

TEST_CASE("holds overlap for a bounded time when a failover loses writes", "[cluster][contention][failover]")
{
    run_contests(with_lost_writes(), seeds_or(15));
}

TEST_CASE("a seed replays a contest over a cluster exactly", "[cluster][contention][failover]")
{
    auto options = with_failovers();
    options.moves = 3;
    options.seed = 3;
    options.trace = true;
    CHECK(run_contest(options).digest == run_contest(options).digest);
}

}  // namespace
}  // namespace holdfast::test
