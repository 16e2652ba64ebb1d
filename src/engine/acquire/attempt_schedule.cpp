//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/attempt_schedule.hpp"

#include "core/backoff.hpp"
#include "core/turn_budget.hpp"

namespace holdfast::engine {
namespace {

using state = attempt_state;
using event = attempt_event;

// An attempt is under way. Only its reply or a message changes the state: everything else has to wait for the reply.
state after_answer(state s, event e) noexcept
{
    bool const is_notified = s == state::attempting_notified;
    switch (e) {
        case event::ended: return state::resting;
        case event::sent: return state::attempting;
        // The message may announce a release that came after this refusal: without this the wake-up is lost (rule 13).
        case event::refused: return is_notified ? state::notified : state::waiting;
        case event::repeat: return state::ready;
        case event::postponed: return state::pausing;
        // A message of the source says nothing of the destination.
        case event::deferred: return state::yielding;
        case event::notified: return state::attempting_notified;
        default: return s;
    }
}

state after_notification(state s) noexcept
{
    switch (s) {
        case state::waiting: return state::notified;
        // The message of another release: another process had its turn before the reply to the own release came.
        case state::releasing: return state::releasing_notified;
        case state::yielding: return state::ready;
        default: return s;
    }
}

// A re-check leads to `notified`, as a message does. A pause or a turn that ends leads to `ready`: nothing is known of
// the lock then.
state after_deadline(state s) noexcept
{
    switch (s) {
        case state::waiting:
        case state::notified: return state::notified;
        case state::resting: return s;
        default: return state::ready;
    }
}

// A late reply, after the deadline or a new epoch has ended the turn, changes nothing.
state after_release(state s, event e) noexcept
{
    if (!is_releasing(s))
        return s;
    return s == state::releasing && e == event::others_notified ? state::yielding : state::ready;
}

}  // namespace

attempt_state next(attempt_state s, attempt_event e) noexcept
{
    if (is_under_way(s))
        return after_answer(s, e);
    bool const is_resting = s == state::resting;
    switch (e) {
        case event::wanted: return is_resting ? state::ready : s;
        case event::ended: return state::resting;
        case event::sent: return s == state::ready || s == state::notified ? state::attempting : s;
        case event::eased: return s == state::waiting ? state::ready : s;
        case event::notified: return after_notification(s);
        case event::due: return after_deadline(s);
        // Nothing is known of the lock after an outage, so an attempt is made at once, or after the paced re-check.
        case event::opened:
        case event::closed: return is_resting ? s : state::ready;
        case event::opened_paced: return is_resting ? s : state::waiting;
        case event::yielded: return state::releasing;
        case event::others_notified:
        case event::none_notified: return after_release(s, e);
        default: return s;
    }
}

core::duration attempt_delay(std::size_t before, bool was_refused, std::uint64_t random) noexcept
{
    if (was_refused)
        return std::chrono::microseconds(20) * before + core::jitter(std::chrono::microseconds(100), random);
    return core::duration(before < core::turn_budget ? 0 : before);
}

}  // namespace holdfast::engine
