//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every transition of an acquisition, as the table in its header lists it.

#include "engine/acquire/attempt_schedule.hpp"

#include <array>
#include <chrono>

#include <catch2/catch_test_macros.hpp>

#include "core/turn_budget.hpp"

namespace holdfast::engine {
namespace attempt_schedule_test {

using namespace std::chrono_literals;
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
    {event::deferred,
     {resting, ready, yielding, yielding, waiting, notified, pausing, releasing, releasing_notified, yielding}},
    {event::eased,
     {resting,
      ready,
      attempting,
      attempting_notified,
      ready,
      notified,
      pausing,
      releasing,
      releasing_notified,
      yielding}},
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
    {event::others_notified,
     {resting, ready, attempting, attempting_notified, waiting, notified, pausing, yielding, ready, yielding}},
    {event::none_notified,
     {resting, ready, attempting, attempting_notified, waiting, notified, pausing, ready, ready, yielding}},
};

TEST_CASE(
    "an acquisition follows its table: each event leads from each state to the state given there", "[acquisition]")
{
    for (auto const& column : columns)
        for (std::size_t i = 0; i < all_states.size(); ++i) {
            INFO("event " << static_cast<int>(column.on) << " in state " << static_cast<int>(all_states[i]));
            CHECK(next(all_states[i], column.on) == column.to[i]);
        }
}

// ---- the transitions on which the rules depend

TEST_CASE("a message during an attempt leads to another attempt if the first one is refused", "[acquisition]")
{
    CHECK(next(next(attempting, event::notified), event::refused) == notified);
    CHECK(next(attempting, event::refused) == waiting);
}

TEST_CASE("sending an attempt clears the flag of an earlier message", "[acquisition]")
{
    CHECK(next(next(waiting, event::notified), event::sent) == attempting);
}

TEST_CASE(
    "an acquisition that gets a message before the release's reply does not yield to other clients", "[acquisition]")
{
    CHECK(next(next(releasing, event::notified), event::others_notified) == ready);
    CHECK(next(releasing, event::others_notified) == yielding);
}

TEST_CASE("an attempt that is deferred is made when the turn of others ends, or a message comes", "[acquisition]")
{
    CHECK(next(next(attempting, event::deferred), event::due) == ready);
    CHECK(next(next(attempting, event::deferred), event::notified) == ready);
}

TEST_CASE("a message does not end a pause between attempts", "[acquisition]")
{
    CHECK(next(pausing, event::notified) == pausing);
    CHECK(next(pausing, event::due) == ready);
}

TEST_CASE("an acquisition at rest makes no attempt when the connection is lost and opens again", "[acquisition]")
{
    CHECK(next(next(resting, event::closed), event::opened_paced) == resting);
}

// ---- the delay after the session has opened

TEST_CASE(
    "the first attempts are made in their order when the session opens, turn_budget of them at once", "[acquisition]")
{
    CHECK(attempt_delay(0, false, 4711) == core::duration::zero());
    CHECK(attempt_delay(core::turn_budget - 1, false, 4711) == core::duration::zero());
    CHECK(attempt_delay(core::turn_budget, false, 4711) > core::duration::zero());
    CHECK(attempt_delay(core::turn_budget + 1, false, 0) > attempt_delay(core::turn_budget, false, 4711));
    CHECK(attempt_delay(100'000, false, 4711) < 1ms);
}

TEST_CASE("locks that were held are looked at again one after the other when the session opens", "[acquisition]")
{
    CHECK(attempt_delay(0, true, 4711) < 100us);
    CHECK(attempt_delay(1'000, true, 4711) >= 20ms);
    CHECK(attempt_delay(1'000, true, 4711) < 20ms + 100us);
    CHECK(attempt_delay(1'000, true, 4712) != attempt_delay(1'000, true, 4711));
}

}  // namespace attempt_schedule_test
}  // namespace holdfast::engine
