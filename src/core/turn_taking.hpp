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

// Returns after what time a waiter that receives no message makes another attempt, if the grant of the present holder
// ends after `remaining`. The time to live is in whole milliseconds: after one more, the key has expired. The jitter
// separates clients that wait for the same expiry.
constexpr duration recheck_after(duration remaining, std::uint64_t random) noexcept
{
    using std::chrono::milliseconds;
    return remaining + milliseconds(1) + jitter(std::min<duration>(remaining / 10, milliseconds(50)), random);
}

// A process whose hand-off budget is spent yields to other processes, but for no longer than this, counted from the
// release. Without a limit a lock could stay idle for seconds after the server stalled, or while no other process takes
// it.
inline constexpr duration longest_yield = std::chrono::milliseconds(250);

// Returns when a yield ends that began at `began`, unless a message ends it earlier. The reply to the release came at
// `now`. Other processes received the unlock message and need about two round trips to take the lock.
constexpr instant yield_end(instant began, instant now, duration round_trip, std::uint64_t random) noexcept
{
    return std::min(now + 2 * round_trip + jitter(round_trip, random), began + longest_yield);
}

// While a hash slot is moved key by key, a lock whose key is at the destination is released there, and the message reaches
// nobody: its channel is still that of the source. So the waiters poll. Each look costs three commands, at two servers;
// ten of them in a second are little beside the move itself, and the shortest lease time (rule 3) ends as often.
inline constexpr duration open_slot_interval = std::chrono::milliseconds(100);

// Returns until when a client that has released a lock there, at `released`, leaves it to others. Each of them has looked
// by then, although the interval of its looks has a jitter (recheck_after()). Without this turn a client that acquires the
// lock again and again would hold it at nearly each look of the others.
constexpr instant open_slot_turn_end(instant released) noexcept
{
    return released + open_slot_interval + open_slot_interval / 4;
}

// Limits the attempts that messages lead to. Every client with the right to publish can forge a message, and a flood of
// them must not become a flood of commands: on average they lead to one attempt in a millisecond. A few attempts may
// follow each other without a pause (a token bucket), because where several processes pass a lock on quickly, each
// message is a chance to take it; a strict millisecond would leave the lock idle.
class message_pace {
public:
    static constexpr duration interval = std::chrono::milliseconds(1);
    static constexpr int burst = 8;

    // The earliest instant of the next attempt.
    constexpr instant next() const noexcept { return full_ - (burst - 1) * interval; }
    constexpr void spend(instant now) noexcept { full_ = std::max(full_, now) + interval; }
    // An attempt was granted, so the message was not forged: the whole burst is available again.
    constexpr void reset() noexcept { full_ = instant{}; }

private:
    instant full_{};  // when the whole burst is available again
};

}  // namespace holdfast::core

#endif
