//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_TIME_RULES_HPP
#define HOLDFAST_TEST_ORACLE_TIME_RULES_HPP

#include <algorithm>
#include <chrono>

#include "core/clock.hpp"
#include "oracle/locks.hpp"

namespace holdfast::test::oracle {

// Durations of the model. Each network delay of a program is at most a millisecond.

// Between the send that a validity counts from and what the program sees of it: a round trip, and what a lease that was
// shared or handed on had used up.
inline constexpr core::duration slack = std::chrono::milliseconds(25);

// An attempt that is given less time than this may end without an answer.
inline constexpr core::duration answer_time = std::chrono::milliseconds(10);

// The end of a fault until everybody is connected again and has been answered.
inline constexpr core::duration recovery = std::chrono::seconds(8);

// Options beyond this count as infinite.
inline constexpr core::duration longest = std::chrono::hours(24 * 365);

// docs/safety.md: validity ends so much before the lease.
constexpr core::duration core_drift(core::duration lease)
{
    return lease / 100 + std::chrono::milliseconds(2);
}

// docs/safety.md: a loss is told so much before validity ends, at most.
constexpr core::duration stop_margin(core::duration lease)
{
    return std::clamp<core::duration>(lease / 50, std::chrono::milliseconds(2), std::chrono::milliseconds(100));
}

// How long something of an operation that ended may still be on the server.
constexpr core::duration undo_time(lock_design const&, bool disturbed)
{
    return disturbed ? core::duration(std::chrono::seconds(20)) : core::duration(std::chrono::milliseconds(100));
}

}  // namespace holdfast::test::oracle

#endif
