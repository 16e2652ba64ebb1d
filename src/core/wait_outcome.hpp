//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_WAIT_OUTCOME_HPP
#define HOLDFAST_CORE_WAIT_OUTCOME_HPP

#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::core {

// What is known of a lock at the moment at which the wait of a contender ends.
struct wait_facts {
    bool is_held_here = false;  // a lease of this client holds it now
    bool is_connected = true;   // to the server
    bool was_seen_held =
        false;  // by somebody else, since the contender joined; a failed try or a lost connection clears it
    bool is_in_doubt = false;   // the last try failed, or the connection was lost, and no try was answered since
    bool needs_answer = false;  // a red_lock counts this server's answers: without one there is nothing to count
    duration unanswered{};      // how long the server has owed an answer about this lock; zero: it owes none
    duration answer_timeout{};  // how long an answer takes at most while nothing is wrong
};

enum class wait_outcome : std::uint8_t { busy, unavailable };

// Busy never hides an outage, and unavailable is never said of a server that answers. What happens in between, a wait
// that is shorter than the server needs for an answer, is busy: nothing went wrong.
constexpr wait_outcome classify_wait(wait_facts const& f) noexcept
{
    if (f.is_held_here)
        return wait_outcome::busy;
    if (!f.is_connected)
        return wait_outcome::unavailable;
    if (f.was_seen_held)
        return wait_outcome::busy;
    bool const is_silent = f.unanswered > f.answer_timeout;
    return f.is_in_doubt || f.needs_answer || is_silent ? wait_outcome::unavailable : wait_outcome::busy;
}

}  // namespace holdfast::core

#endif
