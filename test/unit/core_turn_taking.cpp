//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/turn_taking.hpp"

namespace holdfast::core {
namespace core_turn_taking_test {

using namespace std::chrono_literals;

constexpr instant epoch{};

TEST_CASE(
    "a yield ends two to three round trips after the release's reply, at most 250 ms after its send", "[turn_taking]")
{
    struct row {
        duration answered, round_trip;
        std::uint64_t random;
        duration end;
    };
    row const rows[] = {
        {1ms, 1ms, 0, 3ms},
        {1ms, 1ms, 999'999, 3'999'999ns},
        {60ms, 60ms, 0, 180ms},
        {120ms, 120ms, 0, 250ms},    // slow, but bounded
        {2500ms, 2100ms, 0, 250ms},  // the server stalled
        {2500ms, 1ms, 0, 250ms},     // only for the release: the yield has ended already
        {1ms, 0ms, 12345, 1ms},      // no time at all
    };
    for (auto const& [answered, round_trip, random, end] : rows) {
        CAPTURE(answered, round_trip);
        CHECK(yield_end(epoch + 5s, epoch + 5s + answered, round_trip, random) == epoch + 5s + end);
    }
}

TEST_CASE("a waiter without a message tries again when the grant has expired, at most 50 ms later", "[turn_taking]")
{
    CHECK(recheck_after(0ms, 12345) == 1ms);
    CHECK(recheck_after(100ms, 0) == 101ms);
    CHECK(recheck_after(100ms, 9'999'999) == 101ms + 9'999'999ns);
    CHECK(recheck_after(10s, 49'999'999) == 10'001ms + 49'999'999ns);
    CHECK(recheck_after(10s, 50'000'000) == 10'001ms);
}

TEST_CASE("a flood of messages leads to one attempt per millisecond after a small burst", "[turn_taking]")
{
    message_pace pace;
    int tries = 0;
    for (auto now = epoch + 1s; now < epoch + 2s; now += 50us)
        if (now >= pace.next())
            pace.spend(now), ++tries;
    CHECK(tries <= 1'000 + message_pace::burst);
    CHECK(tries >= 1'000);
}

TEST_CASE("a burst of messages leads to attempts at once, and a granted attempt allows the next burst", "[turn_taking]")
{
    message_pace pace;
    auto const now = epoch + 1s;
    for (int i = 0; i < message_pace::burst; ++i) {
        CHECK(pace.next() <= now);
        pace.spend(now);
    }
    CHECK(pace.next() == now + message_pace::interval);
    CHECK(pace.next() <= now + 20ms);
    pace.reset();
    CHECK(pace.next() <= now);
}

}  // namespace core_turn_taking_test
}  // namespace holdfast::core
