//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/response_time.hpp"

namespace holdfast::core {
namespace core_response_time_test {

using namespace std::chrono_literals;

constexpr instant epoch{};

// Adds `count` answers, one after the other, each of which takes the time `each`.
instant answer_often(response_time& r, instant from, int count, duration each)
{
    for (int i = 0; i < count; ++i, from += each)
        r.add(from, from + each);
    return from;
}

TEST_CASE("the time of the first answer is the first estimate of the response time", "[response_time]")
{
    response_time r;
    CHECK(r.average() == 1ms);
    r.add(epoch, epoch + 60ms);
    CHECK(r.average() == 60ms);
    CHECK(r.answer_timeout(1s) == 480ms);
    CHECK(r.answer_timeout(200ms) == 200ms);
}

TEST_CASE("the estimate follows the response time when the server becomes slower", "[response_time]")
{
    response_time r;
    auto const later = answer_often(r, epoch, 100, 200us);
    CHECK(r.average() == 200us);
    CHECK(r.answer_timeout(1s) == 25ms);
    answer_often(r, later, 100, 40ms);
    CHECK(r.average() > 39ms);
    CHECK(r.answer_timeout(1s) >= 312ms);
}

TEST_CASE("the answer timeout depends on the slowest of the last answers", "[response_time]")
{
    response_time r;
    auto const later = answer_often(r, epoch, 100, 10ms);
    r.add(later, later + 60ms);
    CHECK(r.average() < 17ms);
    CHECK(r.answer_timeout(1s) == 480ms);
}

TEST_CASE("one stall of the server hardly changes the estimate, however many answers it delays", "[response_time]")
{
    response_time r;
    auto const stalled = answer_often(r, epoch, 100, 1ms);
    for (int i = 0; i < 1'000; ++i)
        r.add(stalled + i * 1ms, stalled + 2500ms);
    CHECK(r.average() < 2ms);
    CHECK(r.answer_timeout(3s) <= 64ms);
    response_time fresh;
    fresh.add(epoch, epoch + 2500ms);
    CHECK(fresh.average() == response_time::longest_sample);
}

TEST_CASE("an estimate of zero rises when later answers take longer", "[response_time]")
{
    response_time r;
    auto const later = answer_often(r, epoch + 1s, 100, 0ms);
    CHECK(r.average() == 0ms);
    answer_often(r, later, 100, 3ms);
    CHECK(r.average() > 2900us);
}

}  // namespace core_response_time_test
}  // namespace holdfast::core
