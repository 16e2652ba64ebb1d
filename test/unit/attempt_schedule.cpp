//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every transition of an acquisition, as the table in its header has them.

#include "engine/acquire/attempt_schedule.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

using enum attempt_state;
using event = attempt_event;

constexpr std::array all_states{
    resting,
    ready,
    attempting,
    attempting_notified,
    waiting,
    notified,
    pausing,
    releasing,
    releasing_notified,
    yielding};

// The states that follow on one event, in the order of all_states.
struct column {
    event on;
    std::array<attempt_state, all_states.size()> to;
};

constexpr column columns[] = {
    {event::wanted,
     {ready,
      ready,
      attempting,
      attempting_notified,
      waiting,
      notified,
      pausing,
      releasing,
      releasing_notified,
      yielding}},
    {event::ended, {resting, resting, resting, resting, resting, resting, resting, resting, resting, resting}},
    {event::sent,
     {resting,
      attempting,
      attempting,
      attempting,
      waiting,
      attempting,
      pausing,
      releasing,
      releasing_notified,
      yielding}},
    {event::refused,
     {resting, ready, waiting, notified, waiting, notified, pausing, releasing, releasing_notified, yielding}},
    {event::repeat,
     {resting, ready, ready, ready, waiting, notified, pausing, releasing, releasing_notified, yielding}},
    {event::postponed,
     {resting, ready, pausing, pausing, waiting, notified, pausing, releasing, releasing_notified, yielding}},
    {event::notified,
     {resting,
      ready,
      attempting_notified,
      attempting_notified,
      notified,
      notified,
      pausing,
      releasing_notified,
      releasing_notified,
      ready}},
    {event::due, {resting, ready, attempting, attempting_notified, notified, notified, ready, ready, ready, ready}},
    {event::opened, {resting, ready, attempting, attempting_notified, ready, ready, ready, ready, ready, ready}},
    {event::opened_paced,
     {resting, waiting, attempting, attempting_notified, waiting, waiting, waiting, waiting, waiting, waiting}},
    {event::closed, {resting, ready, attempting, attempting_notified, ready, ready, ready, ready, ready, ready}},
    {event::yielded,
     {releasing,
      releasing,
      attempting,
      attempting_notified,
      releasing,
      releasing,
      releasing,
      releasing,
      releasing,
      releasing}},
    {event::others_heard,
     {resting, ready, attempting, attempting_notified, waiting, notified, pausing, yielding, ready, yielding}},
    {event::nobody_heard,
     {resting, ready, attempting, attempting_notified, waiting, notified, pausing, ready, ready, yielding}},
};

}  // namespace

TEST_CASE("an acquisition follows the table of its attempts", "[acquisition]")
{
    for (auto const& column : columns)
        for (std::size_t i = 0; i < all_states.size(); ++i) {
            INFO("event " << static_cast<int>(column.on) << " in state " << static_cast<int>(all_states[i]));
            CHECK(next(all_states[i], column.on) == column.to[i]);
        }
}

// ---- what the table is for

TEST_CASE("a message that comes during an attempt leads to another attempt when that one is refused", "[acquisition]")
{
    CHECK(next(next(attempting, event::notified), event::refused) == notified);
    CHECK(next(attempting, event::refused) == waiting);
}

TEST_CASE("an attempt forgets the messages that came before it was sent", "[acquisition]")
{
    CHECK(next(next(waiting, event::notified), event::sent) == attempting);
}

TEST_CASE("a message that comes before the reply to a release ends the turn of the others", "[acquisition]")
{
    CHECK(next(next(releasing, event::notified), event::others_heard) == ready);
    CHECK(next(releasing, event::others_heard) == yielding);
}

TEST_CASE("a pause is not ended by a message", "[acquisition]")
{
    CHECK(next(pausing, event::notified) == pausing);
    CHECK(next(pausing, event::due) == ready);
}

TEST_CASE("the lost connection of a lock that is held here leads to no attempt", "[acquisition]")
{
    CHECK(next(next(resting, event::closed), event::opened_paced) == resting);
}

}  // namespace holdfast::engine
