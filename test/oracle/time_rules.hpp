//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_TIME_RULES_HPP
#define HOLDFAST_TEST_ORACLE_TIME_RULES_HPP

#include <algorithm>
#include <chrono>
#include <string>

#include "core/clock.hpp"
#include "oracle/locks.hpp"
#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// Durations of the model. Each network delay of a program is at most a millisecond.

// Between the send that a validity counts from and what the program sees of it: a round trip, and what a lease that was
// shared or handed on had used up.
inline constexpr core::duration slack = std::chrono::milliseconds(25);

// A server that works may take so long to answer the first tries of a lock.
inline constexpr core::duration answer_time = std::chrono::milliseconds(10);

// lock_base.hpp: an answer that takes so long is overdue; by when a server that was slow before is silent, too.
inline constexpr core::duration overdue_time = std::chrono::milliseconds(50);

// A re-entry takes an extension at most, or the end of the one before it.
inline constexpr core::duration longest_reentry = std::chrono::seconds(2);

// The end of a fault until everybody is connected again and has been answered.
inline constexpr core::duration recovery = std::chrono::seconds(8);

// options.hpp: longer durations count as ten years.
inline constexpr core::duration longest = std::chrono::hours(24 * 3650);

// An option, as it counts.
inline core::duration milliseconds_of(step const& s, field f)
{
    constexpr std::int64_t most = longest / std::chrono::milliseconds(1);
    return std::chrono::milliseconds(std::clamp(s.get(f), -most, most));
}

inline std::string to_milliseconds(core::duration d)
{
    return std::to_string(std::chrono::duration<double, std::milli>(d).count()) + " ms";
}

constexpr bool overlap(core::instant a, core::instant b, core::instant from, core::instant to)
{
    return a <= to && from <= b;
}

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
