//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscription_state.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

using state = subscription_state;
using event = subscription_event;
using step = subscription_step;

constexpr state all[] = {
    state::requested, state::confirmed, state::ended, state::repeated, state::refused, state::given_up};

TEST_CASE("a confirmation and a new connection count in each state of a subscription", "[subscriptions]")
{
    for (auto const s : all) {
        CHECK(next(s, event::confirmed) == subscription_transition{state::confirmed});
        CHECK(next(s, event::renewed) == subscription_transition{state::requested});
    }
}

TEST_CASE(
    "a subscription that ends asks for the slots, and after the second refusal the listeners look", "[subscriptions]")
{
    CHECK(next(state::requested, event::ended) == subscription_transition{state::ended, step::ask});
    CHECK(next(state::confirmed, event::ended) == subscription_transition{state::ended, step::ask});
    CHECK(next(state::repeated, event::ended) == subscription_transition{state::refused, step::look});
    for (auto const s : {state::ended, state::refused, state::given_up})
        CHECK(next(s, event::ended) == subscription_transition{s});
}

TEST_CASE("a subscription whose slot has not moved is repeated once", "[subscriptions]")
{
    CHECK(next(state::ended, event::slots) == subscription_transition{state::repeated, step::repeat});
    for (auto const s : {state::requested, state::confirmed, state::repeated, state::refused, state::given_up})
        CHECK(next(s, event::slots) == subscription_transition{s});
}

TEST_CASE("a subscription is given up when a server that has refused it twice has the slot", "[subscriptions]")
{
    CHECK(next(state::refused, event::served) == subscription_transition{state::given_up, step::give_up});
    for (auto const s : {state::requested, state::confirmed, state::ended, state::repeated, state::given_up})
        CHECK(next(s, event::served) == subscription_transition{s});
}

TEST_CASE("a subscription counts until the server has refused or ended it", "[subscriptions]")
{
    CHECK((is_subscribed(state::requested) && is_subscribed(state::confirmed) && is_subscribed(state::repeated)));
    CHECK((!is_subscribed(state::ended) && !is_subscribed(state::refused) && !is_subscribed(state::given_up)));
}

}  // namespace
}  // namespace holdfast::engine
