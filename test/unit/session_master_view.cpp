//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>

#include <catch2/catch_test_macros.hpp>

#include "session/master_view.hpp"

namespace holdfast::session {
namespace session_master_view_test {

using namespace std::chrono_literals;

constexpr core::instant start{1h};
master_address const one{"one", 1}, two{"two", 2};

TEST_CASE("a sentinel that is behind does not lead back to the former master")
{
    master_view v(3);
    CHECK_FALSE(v.judge(start));
    v.on_answer(0, {1, one}, start);
    CHECK(v.judge(start) == one);
    v.on_answer(1, {2, two}, start);
    CHECK(v.judge(start) == two);
    v.on_answer(0, {1, one}, start + 1s);
    v.on_answer(2, {1, one}, start + 1s);
    CHECK(v.judge(start + 1s) == two);
    CHECK(v.judge(start + master_view::memory) == two);
    CHECK(v.judge(start + master_view::memory + 1ms) == one);
}

TEST_CASE("in one epoch the address counts that most sentinels name, and else the one that counted already")
{
    master_view v(3);
    v.on_answer(0, {0, one}, start);
    CHECK(v.judge(start) == one);
    v.on_answer(1, {0, two}, start);
    CHECK(v.judge(start) == one);
    v.on_answer(2, {0, two}, start);
    CHECK(v.judge(start) == two);
    v.on_unknown(1);
    CHECK(v.judge(start) == two);
}

TEST_CASE("a sentinel may take its answer back, as an operator who monitors another master makes it do")
{
    master_view v(1);
    v.on_answer(0, {7, one}, start);
    CHECK(v.judge(start) == one);
    v.on_answer(0, {0, two}, start + 1s);
    CHECK(v.judge(start + 1s) == two);
    v.on_unknown(0);
    CHECK_FALSE(v.judge(start + 1s));
}

}  // namespace session_master_view_test
}  // namespace holdfast::session
