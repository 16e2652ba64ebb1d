//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Random contests on a server whose replicas lag and take over, with a former primary that goes on serving its clients
// for a while. With config::acknowledged_by no two valid holds overlap, and the primary knows each valid lease,
// whichever server it is by then; without it both happen. HOLDFAST_SEEDS is the number of contests.

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

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
