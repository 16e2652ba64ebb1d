//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/round_result.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::detail {
namespace round_result_test {

TEST_CASE("the counts of replies decide whether a round is won, busy, without majority or inconclusive", "[red_lock]")
{
    using enum round_result;
    struct {
        reply_counts replies;
        round_result shows;
    } const cases[] = {
        // quorum, granted, busy, silent, cut short
        {{2, 2, 0, 1, false}, won},
        {{2, 2, 1, 0, true}, won},
        {{2, 0, 2, 1, false}, busy},
        {{2, 1, 1, 1, false}, busy},
        {{2, 1, 1, 1, true}, busy},
        {{3, 2, 2, 0, false}, busy},  // four servers: two granted, two busy
        {{2, 0, 0, 3, false}, no_majority},
        {{2, 1, 0, 2, false}, no_majority},
        {{2, 0, 1, 1, false}, no_majority},
        {{2, 0, 0, 3, true}, inconclusive},
        {{2, 0, 1, 1, true}, inconclusive},
        {{2, 0, 1, 0, true}, no_majority},  // the others answered, but do not count
        {{3, 1, 0, 1, true}, no_majority},
    };
    for (auto const& c : cases) {
        CAPTURE(c.replies.quorum, c.replies.granted, c.replies.busy, c.replies.silent, c.replies.is_cut_short);
        CHECK(classify(c.replies) == c.shows);
    }
}

TEST_CASE("an inconclusive round does not change the result of the rounds before it", "[red_lock]")
{
    using enum round_result;
    for (auto const before : {inconclusive, won, busy, no_majority}) {
        CHECK(after(before, inconclusive) == before);
        for (auto const now : {won, busy, no_majority})
            CHECK(after(before, now) == now);
    }
}

TEST_CASE("an acquire that times out completes as no_quorum unless a majority answered", "[red_lock]")
{
    CHECK_FALSE(error_of_timeout(round_result::won));
    CHECK_FALSE(error_of_timeout(round_result::busy));
    CHECK(error_of_timeout(round_result::no_majority) == errc::no_quorum);
    CHECK(error_of_timeout(round_result::inconclusive) == errc::no_quorum);
}

}  // namespace round_result_test
}  // namespace holdfast::detail
