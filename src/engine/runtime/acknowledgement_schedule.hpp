//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACKNOWLEDGEMENT_SCHEDULE_HPP
#define HOLDFAST_ENGINE_ACKNOWLEDGEMENT_SCHEDULE_HPP

#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::engine {

// When an acknowledger asks the replicas: states, events, the transition function and its times. All of it is pure, so
// that a unit test can try each pair of state and event. Its link is a connection of its own, because WAIT blocks the
// connection on which it is sent (rule 12). "Somebody waits" means: a grant or a renewal whose reply has come, and that
// no acknowledgement covers.
enum class acknowledgement_state : std::uint8_t {
    closed,     // the link is not open, and nobody waits
    delayed,    // the link is not open, and somebody waits for it; the deadline limits the time
    idle,       // the link is open, and nobody waits
    gathering,  // the question is sent at the end of this turn, for all who wait by then
    asked,      // a question is under way, and nobody has come since
    pressed,    // a question is under way, and somebody has come since, whom the next question covers
};

enum class acknowledgement_event : std::uint8_t {
    wanted,    // somebody waits from here on
    turn_end,  // the link writes the commands of this turn, and somebody waits
    answered,  // the question has its outcome
    emptied,   // nobody waits any more, except for the question under way: the epoch of the session has ended
    opened,    // the link is open
    closed,    // the link is lost
    due,       // the deadline has come
};

// What follows an event.
enum class acknowledgement_step : std::uint8_t {
    none,
    wait,           // arms the deadline
    gather,         // requests the end of the turn
    ask,            // sends the question
    finish,         // those for whom the question was sent get its outcome
    finish_gather,  // the same, then requests the end of the turn for the others
    fail,           // all who wait are not acknowledged
};

// | state     | wanted    | turn_end | answered  | emptied | opened    | closed       | due          |
// |-----------|-----------|----------|-----------|---------|-----------|--------------|--------------|
// | closed    | delayed   |          |           |         | idle      |              |              |
// | delayed   |           |          |           | closed  | gathering |              | closed, fail |
// | idle      | gathering |          |           |         |           | closed       |              |
// | gathering |           | asked    |           | idle    |           | closed, fail |              |
// | asked     | pressed   |          | idle      |         |           | closed, fail |              |
// | pressed   |           |          | gathering | asked   |           | closed, fail |              |
//
// Where the table is empty, the state stays. The step into `delayed` waits, that into `gathering` gathers, that from
// `gathering` into `asked` asks; the end of a question finishes it. Thus one question is under way at a time, and those
// who come meanwhile share the next one. A lost link fails also those who were not asked for: a server that becomes a
// replica closes connections that a WAIT blocks, and what it had granted before may be lost although it is a primary
// again when the next link opens.
struct acknowledgement_transition {
    acknowledgement_state next;
    acknowledgement_step step;
    bool operator==(acknowledgement_transition const&) const = default;
};
acknowledgement_transition next(acknowledgement_state, acknowledgement_event) noexcept;

// How long a question waits for the replicas, and somebody for the link, for a lease of that time: a longer wait would
// spend too much of the lease, a shorter one would fail at the first delay in the network.
core::duration acknowledgement_timeout(core::duration lease) noexcept;

// An acknowledgement that comes so long after the send of the command does not count. Meanwhile the server may have
// become a replica, have thrown away the command's effect, and be a primary again; a full copy of the data takes longer
// than that (repl-diskless-sync-delay), and a process that was stopped for so long reads its replies late.
inline constexpr core::duration longest_unacknowledged = std::chrono::seconds(5);

}  // namespace holdfast::engine

#endif
