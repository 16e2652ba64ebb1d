//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_TURN_TAKING_HPP
#define HOLDFAST_CORE_TURN_TAKING_HPP

#include <algorithm>
#include <cstdint>

#include "core/backoff.hpp"
#include "core/clock.hpp"

namespace holdfast::core {

// A process that has kept a lock among its own coroutines for long enough yields to others, but never for longer than
// this, counted from the release: not when the server stalls, and not when nobody else takes the lock.
inline constexpr duration longest_yield = std::chrono::milliseconds(250);

// When a yield that began then ends, if no message ends it earlier. The server's answer to the release came `now`: the
// others, who heard of the release, need about two round trips to take the lock.
constexpr instant yield_end(instant began, instant now, duration round_trip, std::uint64_t random) noexcept
{
    return std::min(now + 2 * round_trip + jitter(round_trip, random), began + longest_yield);
}

// Messages are untrusted: anybody whom the server lets publish can send them. They lead to at most one try per
// millisecond, after a few that may follow each other at once: where several processes pass a lock on quickly, each
// message is the chance of one of them.
class message_pace {
public:
    static constexpr duration interval = std::chrono::milliseconds(1);
    static constexpr int burst = 8;

    // From when on a message may lead to a try.
    constexpr instant next() const noexcept { return full_ - (burst - 1) * interval; }
    constexpr void spend(instant now) noexcept { full_ = std::max(full_, now) + interval; }
    // A message was true: the lock was free.
    constexpr void reset() noexcept { full_ = instant{}; }

private:
    instant full_{};  // when all that was spent is available again
};

}  // namespace holdfast::core

#endif
