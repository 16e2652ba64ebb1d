//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TOPOLOGY_SCHEDULE_HPP
#define HOLDFAST_ENGINE_TOPOLOGY_SCHEDULE_HPP

#include <cstdint>

#include "core/backoff.hpp"
#include "core/clock.hpp"

namespace holdfast::engine {

// When a client of a cluster asks which primary has which slots: states, events, the transition function and its times.
// All of it is pure, so that a unit test can try each pair of state and event. topology asks and arms the deadline. A
// session behind sentinels asks them for the master by the same rule: see session::sentinels.
enum class topology_state : std::uint8_t {
    closed,   // no connection to a seed: the next one brings the slots
    settled,  // nothing is known to be wrong with the slots; the deadline asks for them from time to time
    asked,    // a seed was asked; the deadline limits the time for its answer
    doubted,  // a seed was asked, and there was a doubt since, so the answer may be out of date
    pausing,  // the slots are new; the deadline ends the pause before the next question
    delayed,  // the same, and there was a doubt since
};

enum class topology_event : std::uint8_t {
    slots,   // a seed has told the slots, when its connection opened, or as an answer
    doubt,   // MOVED, CLUSTERDOWN, a primary whose connection is lost or whose answers are late
    due,     // the deadline has come
    closed,  // the connection to the seed is lost
};

// What follows an event.
enum class topology_step : std::uint8_t {
    none,
    wait,   // arms the deadline for topology_schedule::deadline()
    ask,    // asks the seed, then arms the deadline
    leave,  // the seed does not answer: closes its connection, so that the next one leads to another seed
};

// | state   | slots   | doubt   | due          | closed |
// |---------|---------|---------|--------------|--------|
// | closed  | pausing |         |              |        |
// | settled | pausing | asked   | asked        | closed |
// | asked   | pausing | doubted | asked, leave | closed |
// | doubted | delayed |         | asked, leave | closed |
// | pausing | pausing | delayed | settled      | closed |
// | delayed | delayed |         | asked        | closed |
//
// Where the table is empty, the state stays. An event that leads to `asked` asks, one that leads to `settled`,
// `pausing` or `delayed` waits, unless the table names another step. Thus one question is under way at a time, however
// many commands were sent to a wrong server, and there is a pause between two of them.
struct topology_transition {
    topology_state next;
    topology_step step;
    bool operator==(topology_transition const&) const = default;
};
topology_transition next(topology_state, topology_event) noexcept;

// The schedule of one client.
class topology_schedule {
public:
    topology_step on(topology_event) noexcept;
    topology_state state() const noexcept { return state_; }

    // `changed`: the new slots differ from the last ones, so the pauses begin anew. Call before on(slots).
    void note_slots(bool changed) noexcept;

    // When the deadline of the present state comes. Call once after each step `wait` or `ask`.
    core::instant deadline(core::instant now, std::uint64_t random) noexcept;

private:
    topology_state state_ = topology_state::closed;
    // Short, because what a frozen primary answers when it wakes counts until the client knows its successor.
    core::backoff pauses_{std::chrono::milliseconds(100), std::chrono::milliseconds(200)};
};

}  // namespace holdfast::engine

#endif
