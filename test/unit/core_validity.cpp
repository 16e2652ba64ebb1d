//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/backoff.hpp"
#include "core/validity.hpp"

namespace holdfast::core {
namespace core_validity_test {

using namespace std::chrono_literals;

constexpr instant epoch{};

TEST_CASE("validity counts from the send and is shorter than the lease time by the drift allowance", "[validity]")
{
    CHECK(drift(30s) == 302ms);
    CHECK(valid_until(epoch + 5s, 30s) == epoch + 5s + 30s - 302ms);
    CHECK(valid_until(epoch, 100ms) == epoch + 97ms);
}

TEST_CASE("validity ends before the key expires, whenever the server applies the command", "[validity]")
{
    for (auto lease : {100ms, 1'000ms, 30'000ms, 3'600'000ms})
        for (auto delay : {0ms, 1ms, 50ms, 5'000ms}) {
            auto const sent = epoch + 7s;
            auto const applied = sent + delay;  // the server counts from here
            CHECK(valid_until(sent, lease) < applied + lease);
        }
}

TEST_CASE("a loss is reported before the validity ends, by 2 % of the lease time and at most by 100 ms", "[validity]")
{
    CHECK(stop_margin(100ms) == 2ms);
    CHECK(stop_margin(1s) == 20ms);
    CHECK(stop_margin(30s) == 100ms);
    for (auto lease : {100ms, 1'000ms, 30'000ms})
        CHECK(stop_margin(lease) < drift(lease) + lease / 10);
}

TEST_CASE("a renewal is due within a third of the lease time, at the same instant as others close to it", "[validity]")
{
    auto const lease = 30s;
    auto const first = renewal_due(epoch + 1s + 10ms, lease);
    CHECK(first <= epoch + 11s + 10ms);
    CHECK(first > epoch + 10s);
    CHECK(first == renewal_due(epoch + 1s + 90ms, lease));
}

TEST_CASE("a connection may be silent for a third of the lease time, but for at least a second", "[validity]")
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
        // A renewal is sent after a third of the lease time, and the connection is closed after another third: a lease
        // time that is long enough leaves a third for a new connection.
        if (row.lease >= 3s)
            CHECK(renewal_interval(row.lease) + row.silence <= row.lease - renewal_interval(row.lease));
    }
}

TEST_CASE("a backoff pause lasts half of its step to all of it, and the step doubles up to a limit", "[backoff]")
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

TEST_CASE("jitter is smaller than its limit", "[backoff]")
{
    CHECK(jitter(0ns, 7) == 0ns);
    CHECK(jitter(10ns, 25) == 5ns);
    CHECK(jitter(10ns, 9) == 9ns);
}

}  // namespace core_validity_test
}  // namespace holdfast::core
