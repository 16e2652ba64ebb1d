//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/multi_round.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::detail {
namespace multi_round_test {

TEST_CASE("the attempts on the members decide how a round of a multi_lock ends", "[multi_lock]")
{
    using enum multi_round;
    struct {
        member_counts counts;
        multi_round shows;
    } const cases[] = {
        // members, granted, valid, busy, unreachable, failed
        {{3, 3, 3, 0, 0, 0}, won},
        {{1, 1, 1, 0, 0, 0}, won},
        {{3, 3, 2, 0, 0, 0}, late},
        {{3, 3, 0, 0, 0, 0}, late},
        {{3, 2, 2, 1, 0, 0}, busy},
        {{3, 0, 0, 3, 0, 0}, busy},
        {{3, 1, 1, 1, 1, 0}, busy},  // busy is evidence of a server that works
        {{3, 2, 2, 0, 0, 0}, busy},  // one was called off
        {{3, 0, 0, 0, 0, 0}, busy},
        {{3, 2, 2, 0, 1, 0}, unreachable},
        {{3, 0, 0, 0, 1, 0}, unreachable},  // the others were called off
        {{3, 0, 0, 0, 3, 0}, unreachable},
        {{3, 2, 2, 0, 0, 1}, failed},
        {{3, 0, 0, 1, 1, 1}, failed},
    };
    for (auto const& c : cases) {
        CAPTURE(
            c.counts.members, c.counts.granted, c.counts.valid, c.counts.busy, c.counts.unreachable, c.counts.failed);
        CHECK(classify(c.counts) == c.shows);
    }
}

TEST_CASE("a round with another result resets the count of late rounds of a multi_lock", "[multi_lock]")
{
    using enum multi_round;
    CHECK(late_in_a_row(0, late) == 1);
    CHECK(late_in_a_row(1, late) == 2);
    for (auto const other : {won, busy, unreachable, failed})
        CHECK(late_in_a_row(2, other) == 0);
}

TEST_CASE(
    "an acquire of a multi_lock ends with a result, with its third late round, or when its time is over",
    "[multi_lock]")
{
    using enum multi_round;
    for (auto const r : {won, failed})
        CHECK(is_last_round(r, 0, false));
    for (auto const r : {late, busy, unreachable}) {
        CHECK_FALSE(is_last_round(r, 2, false));
        CHECK(is_last_round(r, 0, true));
    }
    CHECK(is_last_round(late, 3, false));
}

}  // namespace multi_round_test
}  // namespace holdfast::detail
