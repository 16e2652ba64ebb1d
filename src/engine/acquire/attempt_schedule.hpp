//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ATTEMPT_SCHEDULE_HPP
#define HOLDFAST_ENGINE_ATTEMPT_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>

#include "core/clock.hpp"

// When an acquisition makes its next attempt: states, events and the transition function. All of it is pure, so that a
// unit test can try each pair of state and event. The acquisition sends the commands and arms the deadlines.
namespace holdfast::engine {

enum class attempt_state : std::uint8_t {
    resting,              // no contender, or this process holds the lock
    ready,                // the next attempt is sent as soon as the session is open
    attempting,           // an attempt is under way
    attempting_notified,  // an attempt is under way, and a message has come since it was sent
    waiting,              // refused: a message or the re-check leads to the next attempt
    notified,             // refused, and one of them has come: the next attempt is due
    pausing,              // the server cannot grant now: the next attempt is made when the pause ends
    releasing,  // a release is under way; its reply contains the number of subscribers that received the message
    releasing_notified,  // a release is under way, and a message has come since it was queued
    yielding,            // others have a turn, until a message or the deadline ends it
};

enum class attempt_event : std::uint8_t {
    wanted,           // there is a contender
    ended,            // the last contender has left, the attempt was granted, or it failed for good
    sent,             // an attempt was sent
    refused,          // another contender holds the lock, and this client will receive the message of its release
    repeat,           // the next attempt is due at once: this one had no effect, or is sent again with a subscription
    postponed,        // the server cannot grant now
    deferred,         // the attempt had no effect, and others have a turn before the next one
    eased,            // the contender that was refused has left, and the next one needs another token
    notified,         // a message came, or it is this waiter's turn in the queue of a fair lock
    due,              // the deadline came: a re-check, the end of a pause or of a turn
    opened,           // the session is open again, and nothing is known of the lock
    opened_paced,     // the session is open again, and the attempt has a delay
    closed,           // the connection is lost; each attempt under way was answered before
    yielded,          // a release was queued, and others get a turn
    others_notified,  // the release is done, and other subscribers received its message
    none_notified,    // the release is done, and no other subscriber received its message
};

// | state               | wanted | ended   | sent       | refused  | repeat | postponed | deferred |
// |---------------------|--------|---------|------------|----------|--------|-----------|----------|
// | resting             | ready  |         |            |          |        |           |          |
// | ready               |        | resting | attempting |          |        |           |          |
// | attempting          |        | resting | attempting | waiting  | ready  | pausing   | yielding |
// | attempting_notified |        | resting | attempting | notified | ready  | pausing   | yielding |
// | waiting             |        | resting |            |          |        |           |          |
// | notified            |        | resting | attempting |          |        |           |          |
// | pausing             |        | resting |            |          |        |           |          |
// | releasing           |        | resting |            |          |        |           |          |
// | releasing_notified  |        | resting |            |          |        |           |          |
// | yielding            |        | resting |            |          |        |           |          |
//
// | state               | notified            | due      | opened | opened_paced | closed |
// |---------------------|---------------------|----------|--------|--------------|--------|
// | resting             |                     |          |        |              |        |
// | ready               |                     |          | ready  | waiting      | ready  |
// | attempting          | attempting_notified |          |        |              |        |
// | attempting_notified |                     |          |        |              |        |
// | waiting             | notified            | notified | ready  | waiting      | ready  |
// | notified            |                     |          | ready  | waiting      | ready  |
// | pausing             |                     | ready    | ready  | waiting      | ready  |
// | releasing           | releasing_notified  | ready    | ready  | waiting      | ready  |
// | releasing_notified  |                     | ready    | ready  | waiting      | ready  |
// | yielding            | ready               | ready    | ready  | waiting      | ready  |
//
// `eased` leads from waiting to ready. In any state but the two of an attempt, `yielded` leads to releasing.
// `others_notified` leads from releasing to yielding, and from releasing_notified to ready; `none_notified` leads from
// both to ready. Where a table is empty, the state stays.
attempt_state next(attempt_state, attempt_event) noexcept;

// How long an acquisition waits with its attempt when the session has opened, if `before` others of the client go first.
// The locks that were held are looked at again one after the other, so that a restarted server does not receive the
// attempts of all clients at once. The first attempts are made in their order: turn_budget of them at once, the others in
// the next turns of the event loop.
core::duration attempt_delay(std::size_t before, bool was_refused, std::uint64_t random) noexcept;

constexpr bool is_under_way(attempt_state s) noexcept
{
    return s == attempt_state::attempting || s == attempt_state::attempting_notified;
}

constexpr bool is_releasing(attempt_state s) noexcept
{
    return s == attempt_state::releasing || s == attempt_state::releasing_notified;
}

}  // namespace holdfast::engine

#endif
