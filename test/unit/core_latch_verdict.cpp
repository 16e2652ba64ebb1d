//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/latch_verdict.hpp"

namespace holdfast::core {
namespace core_latch_verdict_test {

using enum latch_verdict;

TEST_CASE("a waiter that begins sees a closed latch, an open one, or the mark of one that was removed", "[latch]")
{
    CHECK(judge_latch({}, {2, 4096, 0}) == closed);
    CHECK(judge_latch({}, {2, 0, 0}) == closed);
    CHECK(judge_latch({}, {0, 4096, 0}) == open);
    CHECK(judge_latch({}, {0, 0, 0}) == open);
    CHECK(judge_latch({}, {0, -4097, 1}) == removed);
    CHECK(judge_latch({}, {2, -4097, 1}) == closed);  // a client of Redisson has set it after the removal
}

TEST_CASE("a waiter tells what became of its latch, however often that was set since", "[latch]")
{
    latch_state const first{2, 4096, 0};
    CHECK(judge_latch(first, {1, 4096, 0}) == closed);
    CHECK(judge_latch(first, {0, 4096, 0}) == open);
    CHECK(judge_latch(first, {2, 5120, 0}) == open);
    CHECK(judge_latch(first, {0, 5120, 0}) == open);
    CHECK(judge_latch(first, {0, -4097, 1}) == removed);
    CHECK(judge_latch(first, {2, 5121, 1}) == removed);
    CHECK(judge_latch(first, {0, 6145, 1}) == removed);
    CHECK(judge_latch(first, {2, 7171, 3}) == removed);
    CHECK(judge_latch(first, {0, -5121, 1}) == removed);  // it was open in between, too
}

TEST_CASE("a removal before the wait says nothing of the latch that it waits for", "[latch]")
{
    latch_state const second{2, 5121, 1};
    CHECK(judge_latch(second, {0, 5121, 1}) == open);
    CHECK(judge_latch(second, {2, 6145, 1}) == open);
    CHECK(judge_latch(second, {0, -5122, 2}) == removed);
    latch_state const of_redisson{2, -4097, 1};
    CHECK(judge_latch(of_redisson, {1, -4097, 1}) == closed);
    CHECK(judge_latch(of_redisson, {0, -4097, 1}) == open);
    CHECK(judge_latch(of_redisson, {2, 5121, 1}) == open);
    CHECK(judge_latch(of_redisson, {0, -4098, 2}) == removed);
}

TEST_CASE("a generation that is unknown is no end of the wait, and a removal that follows is one", "[latch]")
{
    latch_state const first{2, 4097, 1}, unknown{2, 0, 0};
    CHECK(judge_latch(first, {2, 0, 0}) == closed);
    CHECK(judge_latch(first, {0, 0, 0}) == open);
    CHECK(judge_latch(unknown, {1, 0, 0}) == closed);
    CHECK(judge_latch(unknown, {0, 0, 0}) == open);
    CHECK(judge_latch(unknown, {2, 8192, 0}) == open);
    CHECK(judge_latch(unknown, {0, -8193, 1}) == removed);
    CHECK(judge_latch(first, {0, -8193, 1}) == removed);
}

}  // namespace core_latch_verdict_test
}  // namespace holdfast::core
