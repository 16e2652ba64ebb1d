//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/repair_rules.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::detail {
namespace repair_rules_test {

using namespace std::chrono_literals;

constexpr core::instant at(core::duration d)
{
    return core::instant(100s) + d;
}

TEST_CASE("a lease is confirmed since an instant if a command was sent after it that set the lease time", "[red_lock]")
{
    struct {
        core::duration sent_before;  // the send of the command that was confirmed when the member was missed
        core::duration lease_before;
        core::duration sent;  // that of the last command that was confirmed
        core::duration lease;
        bool is_confirmed;
    } const cases[] = {
        {-1s, 3s, -1s, 3s, false},   // nothing since
        {-1s, 3s, -1ns, 3s, false},  // sent before, confirmed since
        {-1s, 3s, 0s, 3s, true},     // sent at that instant, or later
        {-1s, 3s, 500ms, 3s, true},
        {-1s, 10s, -1s, 10s, false},  // it had been extended for longer
        {-1s, 10s, 1s, 10s, true},
    };
    for (auto const& c : cases) {
        CAPTURE(c.sent_before / 1ms, c.sent / 1ms, c.lease / 1ms);
        auto const before = core::valid_until(at(c.sent_before), c.lease_before);
        auto const now = core::valid_until(at(c.sent), c.lease);
        CHECK(is_confirmed_since(at(0s), before, now, 3s) == c.is_confirmed);
    }
    CHECK(is_confirmed_since(at(0s), core::instant::min(), core::valid_until(at(1s), 3s), 3s));  // joined since
}

TEST_CASE("a member that joins a lease has the rest of its max_hold, in whole milliseconds", "[red_lock]")
{
    CHECK(rest_of_hold(0s, at(0s), at(100s)) == 0ms);  // no limit
    CHECK(rest_of_hold(20s, at(0s), at(5s)) == 15s);
    CHECK(rest_of_hold(20s, at(0s), at(5s + 1ns)) == 14'999ms);
    CHECK(rest_of_hold(20s, at(0s), at(20s - 1ms)) == 1ms);
    CHECK(rest_of_hold(20s, at(0s), at(20s - 1ns)) == std::nullopt);
    CHECK(rest_of_hold(20s, at(0s), at(30s)) == std::nullopt);
}

}  // namespace repair_rules_test
}  // namespace holdfast::detail
