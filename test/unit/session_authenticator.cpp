//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every pair of a state and an event of the table in session/authenticator.hpp.

#include <array>
#include <limits>
#include <map>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "session/authenticator.hpp"

namespace holdfast::session {
namespace session_authenticator_test {

using namespace std::chrono_literals;
using state = authenticator::state;
using event = authenticator::event;
using action = authenticator::action;

constexpr std::array states{
    state::idle, state::asking, state::greeting, state::authenticated, state::renewing, state::authenticating};
constexpr std::array all_events{
    event::connect,
    event::yielded,
    event::failed,
    event::accepted,
    event::refused,
    event::unanswered,
    event::due,
    event::closed};

// The pairs that change something, written down again: a wrong row of the source cannot hide here.
std::map<std::pair<state, event>, std::pair<state, action>> const changes{
    {{state::idle, event::connect}, {state::asking, action::ask}},
    {{state::asking, event::yielded}, {state::greeting, action::greet}},
    {{state::asking, event::failed}, {state::idle, action::give_up}},
    {{state::asking, event::closed}, {state::idle, action::abandon}},
    {{state::greeting, event::accepted}, {state::authenticated, action::schedule}},
    {{state::greeting, event::refused}, {state::idle, action::none}},
    {{state::greeting, event::closed}, {state::idle, action::none}},
    {{state::authenticated, event::due}, {state::renewing, action::ask}},
    {{state::authenticated, event::closed}, {state::idle, action::none}},
    {{state::renewing, event::yielded}, {state::authenticating, action::authenticate}},
    {{state::renewing, event::failed}, {state::authenticated, action::retry}},
    {{state::renewing, event::closed}, {state::idle, action::abandon}},
    {{state::authenticating, event::accepted}, {state::authenticated, action::schedule}},
    {{state::authenticating, event::refused}, {state::authenticated, action::retry}},
    {{state::authenticating, event::unanswered}, {state::authenticated, action::retry}},
    {{state::authenticating, event::closed}, {state::idle, action::none}},
};

// An authenticator in that state.
authenticator in(state s)
{
    authenticator a;
    for (auto const e : {event::connect, event::yielded, event::accepted, event::due, event::yielded})
        if (a.current_state() != s)
            a.on(e);
    return a;
}

TEST_CASE("authenticator: every pair of a state and an event", "[session][credentials]")
{
    for (auto const s : states)
        for (auto const e : all_events) {
            CAPTURE(int(s), int(e));
            auto const found = changes.find({s, e});
            auto const [next, what] = found == changes.end() ? std::pair(s, action::none) : found->second;
            auto a = in(s);
            REQUIRE(a.current_state() == s);
            CHECK(a.on(e) == what);
            CHECK(a.current_state() == next);
        }
}

TEST_CASE("authenticator: refused credentials are remembered until the server accepts some", "[session][credentials]")
{
    for (auto const s : states)
        for (auto const e : all_events) {
            CAPTURE(int(s), int(e));
            auto a = in(s);
            a.on(e);
            CHECK(a.is_refused() == (e == event::refused));
            a.on(event::closed);
            CHECK(a.is_refused() == (e == event::refused));
            a.on(event::accepted);
            CHECK_FALSE(a.is_refused());
        }
}

TEST_CASE("question_after: a fifth of the validity remains, and at most five minutes", "[session][credentials]")
{
    CHECK(question_after(10s, 0) == 8s);
    CHECK(question_after(25min, 0) == 20min);
    CHECK(question_after(1h, 0) == 55min);
    CHECK(question_after(24h, 0) == 24h - 5min);
}

TEST_CASE("question_after: the jitter makes it earlier by at most half of that", "[session][credentials]")
{
    for (std::uint64_t const random : {std::uint64_t(0), std::uint64_t(12345678901234567), ~std::uint64_t(0)}) {
        CHECK(question_after(10s, random) <= 8s);
        CHECK(question_after(10s, random) > 7s);
        CHECK(question_after(1h, random) <= 55min);
        CHECK(question_after(1h, random) > 52min);
    }
}

TEST_CASE("question_after: credentials of a very short validity cause no storm of questions", "[session][credentials]")
{
    for (core::duration const valid_for :
         {core::duration(0), core::duration(1), core::duration(1ms), core::duration(-5s)})
        CHECK(question_after(valid_for, 7) == 100ms);
}

TEST_CASE("refuses_credentials: only errors that other credentials may avoid", "[session][credentials]")
{
    CHECK(refuses_credentials("WRONGPASS invalid username-password pair or user is disabled."));
    CHECK(refuses_credentials("NOAUTH Authentication required."));
    CHECK(refuses_credentials("ERR AUTH <password> called without any password configured for the default user."));
    CHECK_FALSE(refuses_credentials("NOPERM this user has no permissions to run the 'info' command"));
    CHECK_FALSE(refuses_credentials("DENIED Redis is running in protected mode"));
    CHECK_FALSE(refuses_credentials("ERR max number of clients reached"));
    CHECK_FALSE(refuses_credentials(""));
}

}  // namespace session_authenticator_test
}  // namespace holdfast::session
