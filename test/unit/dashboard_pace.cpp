//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "tool/dashboard/pace.hpp"

using namespace std::chrono_literals;
using holdfast::cli::dashboard::pace;

TEST_CASE("pace: the pause makes a step cost the given share of the time", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(1ms, 0ms) == 103ms);  // with the 30 us of the evaluation
    CHECK(p.pause_after(2ms, 0ms) == 203ms);
}

TEST_CASE("pace: the way to the server and back is no cost", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(51ms, 50ms) == p.pause_after(1ms, 0ms));
    CHECK(p.pause_after(40ms, 50ms) == 10ms);  // the empty call was slower by chance: the shortest pause
}

TEST_CASE("pace: a server that answers late gets a long pause, but not an unlimited one", "[dashboard]")
{
    pace const p{.share = 0.01};
    CHECK(p.pause_after(500ms, 0ms) == 50'003ms);
    CHECK(p.pause_after(1h, 0ms) == 60s);
    CHECK(pace{.share = 0.0}.pause_after(1ms, 0ms) == 60s);
}
