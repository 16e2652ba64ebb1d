//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/server_age.hpp"

namespace holdfast::core {
namespace core_server_age_test {

using namespace std::chrono_literals;

// As Redis computes it.
std::chrono::seconds reported(instant start, instant now)
{
    return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch())
           - std::chrono::floor<std::chrono::seconds>(start.time_since_epoch());
}

TEST_CASE("the latest possible start of a server follows from the uptime that it reports", "[server_age]")
{
    constexpr instant now(1000s);
    struct {
        std::chrono::seconds uptime;
        duration ago;
    } const cases[] = {
        {0s, 0s},
        {1s, 0s},
        {2s, 1s},
        {31s, 30s},
        {-5s, 0s},  // the server's clock was set back
        {std::chrono::seconds::max(), std::chrono::hours(24 * 365 * 100)},
    };
    for (auto const& c : cases) {
        CAPTURE(c.uptime.count());
        CHECK(latest_start(c.uptime, now) == now - c.ago);
    }
}

TEST_CASE("rounding to whole seconds never makes a server appear older than it is", "[server_age]")
{
    for (auto start = 100'000ms; start < 101'000ms; start += 37ms)
        for (auto age = 0ms; age < 5'000ms; age += 41ms) {
            instant const began(start);
            instant const at = began + age;
            auto const latest = latest_start(reported(began, at), at);
            CHECK(latest >= began);
            CHECK(latest - began < 2s);
        }
}

TEST_CASE("a server has outlived all leases after the longest lease time plus its drift allowance", "[server_age]")
{
    constexpr instant start(1000s);
    constexpr duration whole = 3s + drift(3s);
    struct {
        duration age;
        bool outlived;
    } const cases[] = {
        {0s, false},
        {3s, false},
        {whole - 1ns, false},
        {whole, true},
        {1h, true},
        {-1s, false},
    };
    for (auto const& c : cases) {
        CAPTURE(c.age.count());
        CHECK(has_outlived_leases(start, 3s, start + c.age) == c.outlived);
    }
}

}  // namespace core_server_age_test
}  // namespace holdfast::core
