//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "tool/dashboard/pace.hpp"

namespace dashboard_pace_test {

using namespace std::chrono_literals;
using holdfast::cli::dashboard::pace;
using holdfast::cli::dashboard::pace_for;

TEST_CASE("pace: the pause makes a step cost the given share of the time", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(1ms, 0ms, 300) == 103ms);  // with the 30 us of the evaluation
    CHECK(p.pause_after(2ms, 0ms, 300) == 203ms);
}

TEST_CASE("pace: the way to the server and back is no cost", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(51ms, 50ms, 300) == p.pause_after(1ms, 0ms, 300));
    CHECK(p.pause_after(40ms, 50ms, 300) == 10ms);  // the empty call was slower by chance: the shortest pause
}

TEST_CASE("pace: a reply that is late for another reason costs what its keys can cost", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(2s, 0ms, 300) == 753ms);
    CHECK(p.pause_after(2s, 0ms, 0) == 10ms);
}

TEST_CASE("pace: the first pass takes up to 5 % of the time of the server, the others less than 1 %", "[dashboard]")
{
    constexpr auto cost = 1ms;
    auto const share = [&](pace const& p) { return 1.03 / (p.pause_after(cost, 0ms, 300) / 1.0ms); };
    CHECK(share(pace_for(false)) > 0.04);
    CHECK(share(pace_for(false)) < 0.051);
    CHECK(share(pace_for(true)) < 0.01);
}

}  // namespace dashboard_pace_test
