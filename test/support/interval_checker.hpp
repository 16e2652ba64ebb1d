//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_INTERVAL_CHECKER_HPP
#define HOLDFAST_TEST_SUPPORT_INTERVAL_CHECKER_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

// The instants of CLOCK_MONOTONIC, which all processes share.
inline std::int64_t nanoseconds(std::chrono::steady_clock::time_point t)
{
    return t.time_since_epoch().count();
}

// A period in which a holder believed that it held a lock: from the grant to the end of the validity or the beginning
// of the release, whichever came first. Times are of one clock, in nanoseconds.
struct held_interval {
    std::string lock;
    std::string holder;
    std::int64_t from;
    std::int64_t to;
    std::uint64_t fence = 0;  // 0: none
    bool shared = false;      // a reader's
};

// Describes a violation in the recorded holds, if there is one. Holds of one lock must not overlap, except shared ones
// with each other, and fencing tokens must grow in the order of the grants. O(n log n), and complete: any two holds
// that overlap are found.
std::optional<std::string> find_violation(std::vector<held_interval> holds);

// The same holds without fencing tokens, for a test that expects an overlap: while two clients hold a lock, their
// tokens may be recorded in another order than that of the grants, which is found first then.
std::vector<held_interval> without_tokens(std::vector<held_interval> holds);

}  // namespace holdfast::test

#endif
