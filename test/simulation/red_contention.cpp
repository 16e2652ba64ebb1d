//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests for red_locks: contenders that split the servers do not block each other for long;
// cancellations, faults and restarts leave nothing behind and never lead to two holders; fencing tokens grow.
// HOLDFAST_SEEDS is the number of contests, HOLDFAST_CANCELLATIONS that of cancelled acquires.

#include <algorithm>
#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"
#include "simulation/red_contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr fault_plan bad_network{.lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.1};

TEST_CASE("red_lock contenders that split the servers all acquire the lock within 30 seconds", "[red_lock][contest]")
{
    auto const seeds = std::max<std::uint64_t>(1, seeds_or(10'000) / 12);
    for (unsigned servers : {2u, 3u, 4u, 5u})
        for (unsigned contenders : {2u, 3u, 5u}) {
            std::vector<double> rounds;
            core::duration longest{};
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(servers, contenders, seed);
                red_contest c({.seed = seed, .servers = servers, .contenders = contenders});
                c.run();
                REQUIRE(c.grants() == contenders);
                rounds.push_back(c.rounds_of_a_grant());
                longest = std::max(longest, c.longest_wait());
            }
            std::ranges::sort(rounds);
            CHECK(longest < 30s);
            WARN(
                contenders << " contenders on " << servers << " servers: rounds for a grant, median "
                           << rounds[rounds.size() / 2] << ", most " << rounds.back() << "; longest wait "
                           << longest / 1ms << " ms");
        }
}

TEST_CASE("red_locks leave nothing on any server after cancellations and network faults", "[red_lock][contest]")
{
    for (std::uint64_t seed = 1; seed <= seeds_or(300); ++seed) {
        CAPTURE(seed);
        red_contest({.seed = seed, .contenders = 4, .rounds = 4, .cancel = 0.3, .faults = bad_network}).run();
    }
}

TEST_CASE("cancelled red_lock acquires on failing servers all complete and leave no key behind", "[red_lock][contest]")
{
    auto const* wanted = std::getenv("HOLDFAST_CANCELLATIONS");
    long const cancellations = wanted ? std::atol(wanted) : 3'000;
    fault_plan faults = bad_network;
    faults.pause_server = 0.0005;
    faults.restart_server = 0.0002;
    faults.lose_data = 0;
    long cancelled = 0;
    long granted = 0;
    for (std::uint64_t seed = 1; cancelled < cancellations; ++seed) {
        CAPTURE(seed);
        red_contest c({.seed = seed, .servers = 5, .contenders = 4, .rounds = 60, .cancel = 0.8, .faults = faults});
        c.run();
        cancelled += c.cancelled();
        granted += c.grants();
    }
    WARN(cancelled << " cancelled, " << granted << " granted");
}

TEST_CASE(
    "fencing tokens of a red_lock grow while a minority of the servers restarts or fails",
    "[red_lock][fencing][contest]")
{
    for (std::uint64_t seed = 1; seed <= seeds_or(10'000); ++seed) {
        CAPTURE(seed);
        red_contest c(
            {.seed = seed,
             .servers = seed % 4 == 0 ? 5u : 3u,
             .rounds = 3,
             .longest_pause = 4s,
             .cancel = 0.05,
             .fencing = true,
             .restarts = 2,
             .skew = 2s,
             .faults = bad_network,
             .lease = 3s});
        c.run();
    }
}

}  // namespace
}  // namespace holdfast::test
