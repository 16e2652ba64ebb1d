//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/topology_schedule.hpp"

#include <chrono>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace topology_schedule_test {

using namespace std::chrono_literals;
using enum topology_state;
using event = topology_event;
using step = topology_step;

constexpr core::instant now{1h};

TEST_CASE("topology: each transition of the table", "[topology][cluster]")
{
    struct row {
        topology_state from;
        topology_transition slots, doubt, due, closed;
    };
    constexpr topology_transition ends{topology_state::closed, step::none};
    constexpr row table[] = {
        {topology_state::closed, {pausing, step::wait}, ends, ends, ends},
        {settled, {pausing, step::wait}, {asked, step::ask}, {asked, step::ask}, ends},
        {asked, {pausing, step::wait}, {doubted, step::none}, {asked, step::leave}, ends},
        {doubted, {delayed, step::wait}, {doubted, step::none}, {asked, step::leave}, ends},
        {pausing, {pausing, step::wait}, {delayed, step::none}, {settled, step::wait}, ends},
        {delayed, {delayed, step::wait}, {delayed, step::none}, {asked, step::ask}, ends},
    };
    for (auto const& r : table) {
        INFO("state " << static_cast<int>(r.from));
        CHECK(next(r.from, event::slots) == r.slots);
        CHECK(next(r.from, event::doubt) == r.doubt);
        CHECK(next(r.from, event::due) == r.due);
        CHECK(next(r.from, event::closed) == r.closed);
    }
}

TEST_CASE("topology: a question has a short limit, and the usual interval is a minute", "[topology][cluster]")
{
    topology_schedule s;
    s.on(event::slots);
    CHECK(s.deadline(now, 0) - now <= 100ms);
    s.on(event::due);
    auto const usual = s.deadline(now, 12345) - now;
    CHECK(usual >= 48s);
    CHECK(usual <= 72s);
    CHECK(s.on(event::doubt) == step::ask);
    CHECK(s.deadline(now, 0) == now + 300ms);
}

TEST_CASE("topology: the pauses grow to a quarter of a second while the slots do not change", "[topology][cluster]")
{
    topology_schedule s;
    core::duration last{};
    for (int i = 0; i < 8; ++i) {
        s.note_slots(false);
        s.on(event::slots);
        s.on(event::doubt);
        auto const pause = s.deadline(now, 0) - now;
        CHECK(pause >= last);
        last = pause;
        CHECK(s.on(event::due) == step::ask);
    }
    CHECK(last == 150ms);
    s.note_slots(true);
    s.on(event::slots);
    CHECK(s.deadline(now, 0) - now == 100ms);
}

TEST_CASE("topology: at most ten questions in a second, whatever the answers say", "[topology][cluster]")
{
    topology_schedule s;
    auto time = now;
    for (int i = 0; i < 10; ++i) {
        s.note_slots(true);
        s.on(event::slots);
        s.on(event::doubt);
        time = s.deadline(time, 0);
        CHECK(s.on(event::due) == step::ask);
    }
    CHECK(time - now >= 1s);
}

}  // namespace topology_schedule_test
}  // namespace holdfast::engine
