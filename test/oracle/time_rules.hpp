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

// The time between the send from which a validity counts and its observation by the program: a round trip, and the time
// that a shared or handed-off grant had used up.
inline constexpr core::duration slack = std::chrono::milliseconds(25);

// The time that a working server may take to answer the first attempts on a lock.
inline constexpr core::duration answer_time = std::chrono::milliseconds(10);

// lock_base.hpp: an answer that takes this long is overdue. After this time a server that was slow before counts as
// silent, too.
inline constexpr core::duration overdue_time = std::chrono::milliseconds(50);

// A re-entry takes at most the time of an extension, or until the re-entry before it ends.
inline constexpr core::duration longest_reentry = std::chrono::seconds(2);

// The time from the end of a fault until all clients are connected again and their commands are answered.
inline constexpr core::duration recovery = std::chrono::seconds(8);

// options.hpp: longer durations count as ten years.
inline constexpr core::duration longest = std::chrono::hours(24 * 3650);

// The value of an option after that limit.
inline core::duration milliseconds_of(step const& s, field f)
{
    constexpr std::int64_t most = longest / std::chrono::milliseconds(1);
    return std::chrono::milliseconds(std::clamp(s.get(f), -most, most));
}

// Whether its wait is shorter than the time that a working server may take to answer.
inline bool is_hasty(step const& s, core::duration answer)
{
    return s.get(field::wait, 0) > 0 && milliseconds_of(s, field::wait) < answer;
}

inline std::string to_milliseconds(core::duration d)
{
    return std::to_string(std::chrono::duration<double, std::milli>(d).count()) + " ms";
}

constexpr bool overlap(core::instant a, core::instant b, core::instant from, core::instant to)
{
    return a <= to && from <= b;
}

// docs/safety.md: the time between the end of validity and the end of the lease time.
constexpr core::duration core_drift(core::duration lease)
{
    return lease / 100 + std::chrono::milliseconds(2);
}

// docs/safety.md: the longest time between the report of a loss and the end of validity.
constexpr core::duration stop_margin(core::duration lease)
{
    return std::clamp<core::duration>(lease / 50, std::chrono::milliseconds(2), std::chrono::milliseconds(100));
}

// The time for which a part of an ended operation may remain on the server.
constexpr core::duration undo_time(lock_design const&, bool disturbed)
{
    return disturbed ? core::duration(std::chrono::seconds(20)) : core::duration(std::chrono::milliseconds(100));
}

}  // namespace holdfast::test::oracle

#endif
