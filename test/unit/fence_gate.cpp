//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <stdexcept>
#include <type_traits>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/fence_gate.hpp>

namespace holdfast {
namespace fence_gate_test {

static_assert(!std::is_copy_constructible_v<fence_gate> && !std::is_move_constructible_v<fence_gate>);

TEST_CASE("a fence_gate refuses a token that is smaller than one that has passed", "[fence_gate]")
{
    fence_gate gate;
    CHECK(gate.greatest() == 0);
    CHECK(gate.pass(5));
    CHECK(gate.pass(5));  // the same holder again
    CHECK_FALSE(gate.pass(4));
    CHECK(gate.pass(9'007'199'254'740'991));
    CHECK_FALSE(gate.pass(6));
    CHECK(gate.greatest() == 9'007'199'254'740'991);
}

TEST_CASE("a fence_gate executes the work of a token that passes, and no other work", "[fence_gate]")
{
    fence_gate gate;
    int balance = 0;
    CHECK(gate.pass(34, [&] { balance = 34; }));
    CHECK_FALSE(gate.pass(33, [&] { balance = 33; }));
    CHECK(balance == 34);
}

TEST_CASE("a token whose work throws has passed the fence_gate", "[fence_gate]")
{
    fence_gate gate;
    auto const work = [] { throw std::runtime_error("the disk is full"); };
    CHECK_THROWS_AS(gate.pass(2, work), std::runtime_error);
    CHECK_FALSE(gate.pass(1));
    CHECK(gate.pass(2));
}

}  // namespace fence_gate_test
}  // namespace holdfast
