//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/applied.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace holdfast::engine;

namespace {

bool after(command_kind kind, refusal why)
{
    return may_be_applied(kind, {.outcome = outcome::refused, .why = why});
}

}  // namespace

TEST_CASE("a single command that the server refused was not applied", "[applied]")
{
    for (auto why :
         {refusal::none,
          refusal::no_script,
          refusal::wrong_type,
          refusal::not_permitted,
          refusal::read_only,
          refusal::not_now,
          refusal::out_of_resources,
          refusal::other}) {
        CAPTURE(static_cast<int>(why));
        CHECK_FALSE(after(command_kind::single, why));
    }
}

TEST_CASE("a refused script may have been applied, unless its error comes before the first write", "[applied]")
{
    struct row {
        refusal why;
        bool may_be_applied;
    };
    for (auto const& r : {
             row{refusal::none, true},
             row{refusal::no_script, false},
             row{refusal::wrong_type, true},
             row{refusal::not_permitted, true},
             row{refusal::read_only, false},
             row{refusal::not_now, false},
             row{refusal::out_of_resources, false},
             row{refusal::other, true},
         }) {
        CAPTURE(static_cast<int>(r.why));
        CHECK(after(command_kind::script, r.why) == r.may_be_applied);
    }
}

TEST_CASE("a command whose outcome is applied or unknown counts as possibly applied", "[applied]")
{
    for (auto kind : {command_kind::single, command_kind::script}) {
        CHECK(may_be_applied(kind, {.outcome = outcome::applied}));
        CHECK(may_be_applied(kind, {.outcome = outcome::unknown}));
    }
}
