//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every transition of a grant's renewals, as the table in its header lists it, and the times that belong to them.

#include "engine/hold/renewal_schedule.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch_test_macros.hpp>

#include "core/validity.hpp"

namespace holdfast::engine {
namespace renewal_schedule_test {

using namespace std::chrono_literals;
using enum renewal_state;
using event = renewal_event;

constexpr std::array all_states{confirmed, sent, overdue, failed};

// The states that follow on one event, in the order of all_states.
struct column {
    event on;
    std::array<renewal_state, all_states.size()> to;
};

constexpr column columns[] = {
    {event::watched, {confirmed, confirmed, confirmed, confirmed}},
    {event::due, {sent, overdue, overdue, overdue}},
    {event::due_closed, {overdue, overdue, overdue, overdue}},
    {event::due_untaken, {confirmed, sent, overdue, failed}},
    {event::confirmed, {confirmed, confirmed, confirmed, confirmed}},
    {event::refused, {failed, failed, failed, failed}},
    {event::unanswered, {overdue, overdue, overdue, overdue}},
    {event::extension_unanswered, {failed, overdue, overdue, failed}},
    {event::opened, {sent, sent, overdue, overdue}},
    {event::not_required, {confirmed, confirmed, failed, failed}},
};

// The events that lead a new schedule to each of all_states.
constexpr std::array first_events{event::watched, event::due, event::due_closed, event::refused};

constexpr core::duration lease = 30s;
constexpr core::instant granted{100s};  // a multiple of the step to which renewal_due() rounds
constexpr core::instant third = granted + core::renewal_interval(lease);
constexpr core::duration sixth = core::renewal_retry(lease);
constexpr core::duration silence = core::longest_silence(lease);

// The schedule of a grant that was confirmed at `granted`.
struct watched_grant {
    watched_grant() { made.on(event::watched, granted); }

    core::instant due(core::instant last_confirmed = granted) const { return made.due(last_confirmed, lease); }

    renewal_schedule made;
};

TEST_CASE(
    "a renewal schedule follows its table: each event leads from each state to the state given there", "[renewal]")
{
    for (auto const& column : columns)
        for (std::size_t i = 0; i < all_states.size(); ++i) {
            INFO("event " << static_cast<int>(column.on) << " in state " << static_cast<int>(all_states[i]));
            CHECK(next(all_states[i], column.on) == column.to[i]);
            renewal_schedule s;
            s.on(first_events[i], granted);
            s.on(column.on, granted);
            CHECK(s.state() == column.to[i]);
        }
}

TEST_CASE("a lease is at risk while a renewal is overdue or failed", "[renewal]")
{
    CHECK_FALSE(is_at_risk(confirmed));
    CHECK_FALSE(is_at_risk(sent));
    CHECK(is_at_risk(overdue));
    CHECK(is_at_risk(failed));
}

TEST_CASE("a renewal is unanswered from its send, or from the time when it could not be sent", "[renewal]")
{
    CHECK_FALSE(is_unanswered(confirmed));
    CHECK(is_unanswered(sent));
    CHECK(is_unanswered(overdue));
    CHECK_FALSE(is_unanswered(failed));
}

TEST_CASE("a renewal is sent when it is due and the connection is open, and when an epoch begins", "[renewal]")
{
    for (auto const& column : columns)
        CHECK(is_sent_at(column.on) == (column.on == event::due || column.on == event::opened));
}

// ---- when the next renewal is due

TEST_CASE_METHOD(
    watched_grant, "the first renewal is due a third of the lease time after the confirmation", "[renewal]")
{
    CHECK(due() == third);
    CHECK(made.due(granted, 3s) == granted + 1s);
    CHECK(due(granted + 1ms) == third);  // rounded down, so that the renewals of many grants are due together
}

TEST_CASE_METHOD(
    watched_grant, "an unanswered renewal is repeated a sixth of the lease time after the last one", "[renewal]")
{
    made.on(event::due, third);
    CHECK(due() == third + sixth);
    made.on(event::due, third + sixth);
    CHECK(due() == third + 2 * sixth);
    made.on(event::due_closed, third + 2 * sixth);
    CHECK(due() == third + 3 * sixth);
}

TEST_CASE_METHOD(
    watched_grant, "a repetition is due a sixth after the send, not after the outcome is unknown", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::unanswered, third + 1s);
    CHECK(due() == third + sixth);
}

TEST_CASE_METHOD(watched_grant, "after a confirmation a renewal is due a third of the lease time later", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::confirmed, third + 1ms);
    CHECK(due(third) == third + core::renewal_interval(lease));
}

TEST_CASE_METHOD(watched_grant, "a refused renewal is repeated a sixth of the lease time after its send", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::refused, third + 1s);
    CHECK(due() == third + sixth);
}

TEST_CASE_METHOD(watched_grant, "a lease at risk is renewed once more just before its end", "[renewal]")
{
    constexpr auto last_one = core::valid_until(granted, lease) - 2 * core::stop_margin(lease);
    for (auto now = third; now < last_one; now += sixth) {
        made.on(event::due, now);
        made.on(event::refused, now + 1ms);
        CHECK(due() == std::min(now + sixth, last_one));
    }
    made.on(event::due, last_one);
    made.on(event::refused, last_one + 1ms);
    CHECK(due() == last_one + sixth);
}

TEST_CASE_METHOD(
    watched_grant, "a lease that no handler has taken up is checked again after a sixth of its lease time", "[renewal]")
{
    made.on(event::due_untaken, third);
    CHECK(due() == third + sixth);
    CHECK_FALSE(made.is_at_risk());
}

TEST_CASE_METHOD(
    watched_grant, "an unanswered extension is followed by a renewal a sixth of the lease time later", "[renewal]")
{
    made.on(event::unanswered, granted + 1s);
    CHECK(due() == granted + 1s + sixth);
}

TEST_CASE_METHOD(
    watched_grant, "an unanswered extension of a lease without renewals leads to no repetition", "[renewal]")
{
    made.on(event::extension_unanswered, granted + 1s);
    CHECK(made.is_at_risk());
    CHECK(due() == third);
    CHECK_FALSE(made.is_silent_too_long(granted + 1h, lease));
}

TEST_CASE_METHOD(watched_grant, "the renewal at the beginning of an epoch is repeated after a sixth", "[renewal]")
{
    made.on(event::opened, granted + 1s);
    CHECK(due() == granted + 1s + sixth);
}

TEST_CASE_METHOD(
    watched_grant, "a hand-off does not make a renewal due sooner than a sixth after the last one", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::watched, third + 1ms);
    CHECK(due() == third + sixth);
    CHECK_FALSE(made.is_silent_too_long(third + 1h, lease));
}

// ---- how long renewals may be unanswered

TEST_CASE_METHOD(
    watched_grant, "a connection counts as silent for too long a third of the lease time after the send", "[renewal]")
{
    made.on(event::due, third);
    CHECK_FALSE(made.is_silent_too_long(third + silence - 1ns, lease));
    CHECK(made.is_silent_too_long(third + silence, lease));
}

TEST_CASE_METHOD(watched_grant, "a connection never counts as silent for too long within the first second", "[renewal]")
{
    made.on(event::due, third);
    CHECK_FALSE(made.is_silent_too_long(third + 1s - 1ns, 150ms));
    CHECK(made.is_silent_too_long(third + 1s, 150ms));
}

TEST_CASE_METHOD(watched_grant, "a repeated renewal does not end the silence of the server", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::due, third + sixth);
    made.on(event::unanswered, third + sixth + 1s);
    made.on(event::due_untaken, third + sixth + 2s);
    CHECK_FALSE(made.is_silent_too_long(third + silence - 1ns, lease));
    CHECK(made.is_silent_too_long(third + silence, lease));
}

TEST_CASE_METHOD(watched_grant, "the silence of one connection does not count against the next one", "[renewal]")
{
    made.on(event::due, third);
    made.on(event::opened, third + 1s);
    CHECK_FALSE(made.is_silent_too_long(third + 1s + silence - 1ns, lease));
    CHECK(made.is_silent_too_long(third + 1s + silence, lease));
}

TEST_CASE_METHOD(
    watched_grant, "a confirmation, a refusal and the end of the last renewed hold end a silence", "[renewal]")
{
    for (auto const ends : {event::confirmed, event::refused, event::not_required, event::watched}) {
        made.on(event::due, third);
        made.on(ends, third + 1s);
        CHECK_FALSE(made.is_silent_too_long(third + silence, lease));
        // The next one begins with the next renewal.
        made.on(event::due, third + 2s);
        CHECK_FALSE(made.is_silent_too_long(third + 2s + silence - 1ns, lease));
        CHECK(made.is_silent_too_long(third + 2s + silence, lease));
    }
}

TEST_CASE_METHOD(
    watched_grant, "a connection without an unanswered renewal never counts as silent for too long", "[renewal]")
{
    CHECK_FALSE(made.is_silent_too_long(granted + 1h, lease));
    made.on(event::refused, third);
    CHECK_FALSE(made.is_silent_too_long(granted + 1h, lease));
}

}  // namespace renewal_schedule_test
}  // namespace holdfast::engine
