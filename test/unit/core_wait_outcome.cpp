//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/wait_outcome.hpp"

namespace holdfast::core {
namespace core_wait_outcome_test {

using namespace std::chrono_literals;
using enum wait_outcome;

TEST_CASE("a waiter that times out is busy or unavailable, depending on the lock and the connection", "[wait_outcome]")
{
    struct row {
        char const* when;
        wait_facts facts;
        wait_outcome outcome;
    };
    row const rows[] = {
        {"nothing is known, and nothing is wrong", {.answer_timeout = 25ms}, busy},
        {"an answer is under way", {.unanswered = 10ms, .answer_timeout = 25ms}, busy},
        {"an answer is just not overdue", {.unanswered = 25ms, .answer_timeout = 25ms}, busy},
        {"an answer is overdue", {.unanswered = 26ms, .answer_timeout = 25ms}, unavailable},
        {"an answer is overdue, of a slow server", {.unanswered = 26ms, .answer_timeout = 300ms}, busy},
        {"the connection is down", {.is_connected = false}, unavailable},
        {"the last try failed", {.is_in_doubt = true}, unavailable},
        {"the last try failed, the next is under way",
         {.is_in_doubt = true, .unanswered = 1ms, .answer_timeout = 25ms},
         unavailable},
        {"an answer is needed", {.needs_answer = true, .unanswered = 1ms, .answer_timeout = 25ms}, unavailable},
        {"an answer is needed, and somebody held it", {.was_held = true, .needs_answer = true}, busy},
        {"somebody held it", {.was_held = true}, busy},
        {"somebody held it, and an answer is overdue",
         {.was_held = true, .unanswered = 1s, .answer_timeout = 25ms},
         busy},
        {"somebody held it, and the connection is down", {.is_connected = false, .was_held = true}, unavailable},
        {"this process holds it", {.is_held_here = true}, busy},
        {"this process holds it, and the connection is down", {.is_held_here = true, .is_connected = false}, busy},
        {"this process holds it, and the last try failed", {.is_held_here = true, .is_in_doubt = true}, busy},
    };
    for (auto const& [when, facts, outcome] : rows) {
        CAPTURE(when);
        CHECK((classify_wait(facts) == outcome));
    }
}

}  // namespace core_wait_outcome_test
}  // namespace holdfast::core
