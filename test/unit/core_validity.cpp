//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/backoff.hpp"
#include "core/validity.hpp"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr instant epoch{};

TEST_CASE("validity counts from the send, less the drift allowance", "[validity]")
{
    CHECK(drift(30s) == 302ms);
    CHECK(valid_until(epoch + 5s, 30s) == epoch + 5s + 30s - 302ms);
    CHECK(valid_until(epoch, 100ms) == epoch + 97ms);
}

TEST_CASE("validity never exceeds what the server promised, whatever the reply's delay", "[validity]")
{
    for (auto lease : {100ms, 1'000ms, 30'000ms, 3'600'000ms})
        for (auto delay : {0ms, 1ms, 50ms, 5'000ms}) {
            auto const sent = epoch + 7s;
            auto const applied = sent + delay;  // the server counts from here
            CHECK(valid_until(sent, lease) < applied + lease);
        }
}

TEST_CASE("a loss is told before validity ends", "[validity]")
{
    CHECK(stop_margin(100ms) == 2ms);
    CHECK(stop_margin(1s) == 20ms);
    CHECK(stop_margin(30s) == 100ms);
    for (auto lease : {100ms, 1'000ms, 30'000ms})
        CHECK(stop_margin(lease) < drift(lease) + lease / 10);
}

TEST_CASE("renewals are due within a third of the lease, and fall together", "[validity]")
{
    auto const lease = 30s;
    auto const first = renewal_due(epoch + 1s + 10ms, lease);
    CHECK(first <= epoch + 11s + 10ms);
    CHECK(first > epoch + 10s);
    CHECK(first == renewal_due(epoch + 1s + 90ms, lease));
}

TEST_CASE("a connection may be silent for a third of a lease, and for a second at least", "[validity]")
{
    struct {
        duration lease;
        duration silence;
    } constexpr table[] = {
        {100ms, 1s},
        {150ms, 1s},
        {1s, 1s},
        {3s, 1s},
        {6s, 2s},
        {30s, 10s},
        {3600s, 1200s},
    };
    for (auto const& row : table) {
        CAPTURE(row.lease);
        CHECK(longest_silence(row.lease) == row.silence);
        // Asked at a third and closed after another, a lease that is long enough has a third left for a new connection.
        if (row.lease >= 3s)
            CHECK(renewal_interval(row.lease) + row.silence <= row.lease - renewal_interval(row.lease));
    }
}

TEST_CASE("a pause lasts between half and the whole of a step that doubles", "[backoff]")
{
    backoff b(10ms, 40ms);
    for (auto step : {10ms, 20ms, 40ms, 40ms}) {
        auto const pause = b.next(0x123456789abcdef);
        CHECK(pause >= step / 2);
        CHECK(pause <= step);
    }
    b.reset();
    CHECK(b.next(0) == 5ms);
}

TEST_CASE("jitter stays below its limit", "[backoff]")
{
    CHECK(jitter(0ns, 7) == 0ns);
    CHECK(jitter(10ns, 25) == 5ns);
    CHECK(jitter(10ns, 9) == 9ns);
}

}  // namespace
}  // namespace holdfast::core
