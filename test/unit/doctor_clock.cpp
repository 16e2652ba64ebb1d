//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tool/clock_check.hpp"

namespace holdfast::cli {
namespace doctor_clock_test {

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using detail::command_reply;
using time_point = std::chrono::steady_clock::time_point;

command_reply time_of(std::string seconds, std::string micros)
{
    return {.type = command_reply::kind::list, .items = {std::move(seconds), std::move(micros)}};
}

clock_reading reading(
    std::chrono::milliseconds sent, std::chrono::milliseconds under_way, std::chrono::microseconds server)
{
    return {time_point(sent), time_point(sent + under_way), server};
}

TEST_CASE("doctor clock: the reply to TIME is seconds and microseconds", "[doctor]")
{
    auto const r = read_clock(time_of("1700000000", "000123"), time_point(1s), time_point(2s));
    REQUIRE(r);
    CHECK(r->server == 1'700'000'000'000'123us);
    CHECK(r->sent == time_point(1s));
    CHECK(r->received == time_point(2s));
    for (auto const& bad :
         {time_of("", "1"),
          time_of("1", "1000000"),
          time_of("-1", "0"),
          time_of("1x", "0"),
          time_of("1e18", "0"),
          time_of("9223372036854775807", "0"),
          command_reply{},
          command_reply{.type = command_reply::kind::error, .text = "NOPERM"}})
        CHECK_FALSE(read_clock(bad, {}, {}));
}

TEST_CASE("doctor clock: a clock that went as far as the steady one is good", "[doctor]")
{
    auto const first = reading(0ms, 1ms, 1'000'000us);
    CHECK(judge_clock(first, reading(500ms, 1ms, 1'500'000us)).grade == grade::good);
    // A hundredth and 2 ms: 501 ms may be 508.01.
    CHECK(judge_clock(first, reading(500ms, 1ms, 1'508'000us)).grade == grade::good);
    CHECK(judge_clock(first, reading(500ms, 1ms, 1'492'000us)).grade == grade::good);
}

TEST_CASE("doctor clock: a round trip explains a difference of its own length", "[doctor]")
{
    auto const first = reading(0ms, 100ms, 1'000'000us);  // read at 0 ms or at 100 ms
    CHECK(judge_clock(first, reading(500ms, 100ms, 1'400'000us)).grade == grade::good);
    CHECK(judge_clock(first, reading(500ms, 100ms, 1'600'000us)).grade == grade::good);
    CHECK(judge_clock(first, reading(500ms, 100ms, 1'650'000us)).grade == grade::doubtful);
}

TEST_CASE("doctor clock: a step forward and a step back are told apart", "[doctor]")
{
    auto const first = reading(0ms, 1ms, 1'000'000us);
    auto const ahead = judge_clock(first, reading(500ms, 1ms, 2'500'000us));
    CHECK(ahead.grade == grade::doubtful);
    CHECK_THAT(ahead.words, ContainsSubstring("1500.0 ms in 501.0 ms") && ContainsSubstring("step forward"));
    auto const back = judge_clock(first, reading(500ms, 1ms, 500'000us));
    CHECK(back.grade == grade::doubtful);
    CHECK_THAT(back.words, ContainsSubstring("-500.0 ms in 501.0 ms") && ContainsSubstring("step back"));
}

}  // namespace doctor_clock_test
}  // namespace holdfast::cli
