//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/applied.hpp"

#include <catch2/catch_test_macros.hpp>

namespace applied_test {

using namespace holdfast::engine;

bool after(command_kind kind, refusal why)
{
    return may_be_applied(kind, {.outcome = outcome::refused, .why = why});
}

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
          refusal::moved,
          refusal::ask,
          refusal::asked,
          refusal::try_again,
          refusal::unsupported}) {
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
             row{refusal::moved, false},
             row{refusal::ask, false},
             row{refusal::asked, false},
             row{refusal::try_again, false},
             row{refusal::unsupported, true},
             row{refusal::other, true},
         }) {
        CAPTURE(static_cast<int>(r.why));
        CHECK(after(command_kind::script, r.why) == r.may_be_applied);
    }
}

TEST_CASE("a single command may have been applied if the library does not know the error", "[applied]")
{
    CHECK(after(command_kind::single, refusal::other));
}

TEST_CASE("a command whose outcome is applied or unknown counts as possibly applied", "[applied]")
{
    for (auto kind : {command_kind::single, command_kind::script}) {
        CHECK(may_be_applied(kind, {.outcome = outcome::applied}));
        CHECK(may_be_applied(kind, {.outcome = outcome::unknown}));
    }
}

TEST_CASE(
    "an error in place of a reply is a refusal, unless it comes from the middle of a script", "[applied][cluster]")
{
    holdfast::core::instant const sent{std::chrono::hours(1)};
    auto const moved = answer_to_error(sent, "MOVED 1 h:1");
    CHECK(moved.outcome == outcome::refused);
    CHECK(moved.why == refusal::moved);
    CHECK(moved.words == "MOVED 1 h:1");
    CHECK(moved.sent == sent);
    auto const half = answer_to_error(
        sent, "ERR Script attempted to access a non local key in a cluster node script: x");
    CHECK(half.outcome == outcome::unknown);
    CHECK(half.why == refusal::none);
    CHECK(half.sent == sent);
}

}  // namespace applied_test
