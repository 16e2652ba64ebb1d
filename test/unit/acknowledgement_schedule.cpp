//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/acknowledgement_schedule.hpp"

#include <chrono>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace acknowledgement_schedule_test {

using namespace std::chrono_literals;
using enum acknowledgement_state;
using event = acknowledgement_event;
using step = acknowledgement_step;
using transition = acknowledgement_transition;

TEST_CASE("acknowledgement: each transition of the table", "[acknowledgement]")
{
    struct row {
        acknowledgement_state from;
        transition wanted, turn_end, answered, emptied, opened, closed_, due;
    };
    auto const stay = [](acknowledgement_state s) { return transition{s, step::none}; };
    row const table[] = {
        {closed,
         {delayed, step::wait},
         stay(closed),
         stay(closed),
         stay(closed),
         {idle, step::none},
         stay(closed),
         stay(closed)},
        {delayed,
         stay(delayed),
         stay(delayed),
         stay(delayed),
         {closed, step::none},
         {gathering, step::gather},
         stay(delayed),
         {closed, step::fail}},
        {idle,
         {gathering, step::gather},
         stay(idle),
         stay(idle),
         stay(idle),
         stay(idle),
         {closed, step::none},
         stay(idle)},
        {gathering,
         stay(gathering),
         {asked, step::ask},
         stay(gathering),
         {idle, step::none},
         stay(gathering),
         {closed, step::fail},
         stay(gathering)},
        {asked,
         {pressed, step::none},
         stay(asked),
         {idle, step::finish},
         stay(asked),
         stay(asked),
         {closed, step::fail},
         stay(asked)},
        {pressed,
         stay(pressed),
         stay(pressed),
         {gathering, step::finish_gather},
         {asked, step::none},
         stay(pressed),
         {closed, step::fail},
         stay(pressed)},
    };
    for (auto const& r : table) {
        INFO("state " << static_cast<int>(r.from));
        CHECK(next(r.from, event::wanted) == r.wanted);
        CHECK(next(r.from, event::turn_end) == r.turn_end);
        CHECK(next(r.from, event::answered) == r.answered);
        CHECK(next(r.from, event::emptied) == r.emptied);
        CHECK(next(r.from, event::opened) == r.opened);
        CHECK(next(r.from, event::closed) == r.closed_);
        CHECK(next(r.from, event::due) == r.due);
    }
}

TEST_CASE("acknowledgement: a question takes a twentieth of the lease time, within limits", "[acknowledgement]")
{
    CHECK(acknowledgement_timeout(100ms) == 100ms);
    CHECK(acknowledgement_timeout(2s) == 100ms);
    CHECK(acknowledgement_timeout(4s) == 200ms);
    CHECK(acknowledgement_timeout(10s) == 500ms);
    CHECK(acknowledgement_timeout(1h) == 500ms);
}

}  // namespace acknowledgement_schedule_test
}  // namespace holdfast::engine
