//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests on a server whose replicas lag and take over, with a former primary that goes on serving its clients
// for a while. With config::acknowledged_by no two valid holds overlap, and the primary knows each valid lease,
// whichever server it is by then; without it both happen. The same over a Redis Cluster, two of whose primaries are
// replaced. HOLDFAST_SEEDS is the number of contests.

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using Catch::Generators::from_range;

using namespace std::chrono_literals;

contest_options contest_of(std::optional<contested_kind> kind, unsigned acknowledged_by)
{
    return {
        .processes = 3,
        .contenders = 3,
        .rounds = 12,
        .kind = kind,
        .longest_hold = 400ms,
        .replicas = 1,
        .fail_overs = 3,
        .config = {
            .lease = 2'000ms, .command_timeout = 500ms, .poll_interval = 1'000ms, .acknowledged_by = acknowledged_by}};
}

TEST_CASE("acknowledged locks of one holder keep exclusion over failovers", "[acknowledged_contest]")
{
    run_contests(contest_of({}, 1), seeds_or(300));
}

TEST_CASE("acknowledged fair locks keep exclusion over failovers", "[acknowledged_contest]")
{
    run_contests(contest_of(contested_kind::fenced_fair, 1), seeds_or(150));
}

TEST_CASE("acknowledged read-write locks keep exclusion over failovers", "[acknowledged_contest]")
{
    run_contests(contest_of(contested_kind::read_write, 1), seeds_or(150));
}

TEST_CASE("acknowledged locks keep exclusion when the network is bad, too", "[acknowledged_contest]")
{
    auto o = contest_of({}, 1);
    o.cancel = 0.2;
    o.pause = 0.3;
    o.faults = {.lose_request = 0.005, .lose_reply = 0.01, .delay_request = 0.01, .disconnect = 0.01};
    run_contests(o, seeds_or(150));
}

TEST_CASE("a grant that both replicas have survives the promotion of either", "[acknowledged_contest]")
{
    auto o = contest_of({}, 2);
    o.replicas = 2;
    run_contests(o, seeds_or(100));
}

// Each replica that is promoted lacks the last writes of its primary.
contest_options over_a_cluster(contested_kind kind)
{
    auto o = contest_of(kind, 1);
    o.locks = 4;
    o.rounds = 6;
    o.primaries = 3;
    o.replicas = o.fail_overs = 2;
    o.replica_lag = {100us, 50ms};
    return o;
}

TEST_CASE("acknowledged locks of a cluster keep exclusion over failovers", "[acknowledged_contest][cluster]")
{
    auto o = over_a_cluster(GENERATE(from_range(every_kind)));
    run_contests(o, seeds_or(15));
}

TEST_CASE(
    "acknowledged locks of a cluster keep exclusion over failovers while slots move", "[acknowledged_contest][cluster]")
{
    auto o = over_a_cluster(GENERATE(from_range(every_kind)));
    o.moves = 2;
    run_contests(o, seeds_or(15));
}

TEST_CASE(
    "acknowledged locks of a cluster keep exclusion over failovers while messages are lost",
    "[acknowledged_contest][cluster]")
{
    auto o = over_a_cluster(GENERATE(from_range(every_kind)));
    o.cancel = 0.2;
    o.faults = {.lose_request = 0.005, .lose_reply = 0.01, .delay_request = 0.01, .disconnect = 0.01};
    run_contests(o, seeds_or(15));
}

// The negative control: the faults of these contests break locks that are not acknowledged.
TEST_CASE("locks that are not acknowledged overlap after some failovers", "[acknowledged_contest]")
{
    bool has_overlap = false;
    for (std::uint64_t seed = 1; seed <= 200 && !has_overlap; ++seed) {
        auto o = contest_of(contested_kind::mutex, 0);
        o.seed = seed;
        auto const result = run_contest(o);
        has_overlap = result.fault && result.fault->find("overlap") != std::string::npos;
    }
    CHECK(has_overlap);
}

}  // namespace
}  // namespace holdfast::test
