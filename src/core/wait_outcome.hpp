//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_WAIT_OUTCOME_HPP
#define HOLDFAST_CORE_WAIT_OUTCOME_HPP

#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::core {

// The knowledge of a client about a lock at the instant at which the wait of a contender ends.
struct wait_facts {
    bool is_held_here = false;  // a lease of this client holds the lock now
    bool is_connected = true;   // the session is open
    // Another contender held the lock at some time since this one joined. A failed attempt or a lost connection clears
    // it, because the knowledge is too old after that.
    bool was_held = false;
    // The last attempt failed, the connection was lost, or there was none when the contender joined, and no reply came
    // since.
    bool is_in_doubt = false;
    bool needs_answer = false;  // a red_lock counts the replies of its servers, and busy would count as one
    duration unanswered{};      // how long a command for this lock has been without a reply; zero: there is none
    duration answer_timeout{};  // how long a reply takes at most while nothing is wrong
};

enum class wait_outcome : std::uint8_t { busy, unavailable };

// Busy never hides an outage, and a server that replies in time is never called unavailable. A wait that is shorter
// than the server needs for a reply ends as busy, because nothing went wrong. The last reply alone cannot decide: the
// client forgets it with each release.
constexpr wait_outcome classify_wait(wait_facts const& f) noexcept
{
    // First, because a lease of this process keeps the lock busy even without a connection.
    if (f.is_held_here)
        return wait_outcome::busy;
    if (!f.is_connected)
        return wait_outcome::unavailable;
    if (f.was_held)
        return wait_outcome::busy;
    bool const is_silent = f.unanswered > f.answer_timeout;
    return f.is_in_doubt || f.needs_answer || is_silent ? wait_outcome::unavailable : wait_outcome::busy;
}

}  // namespace holdfast::core

#endif
