//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscription_state.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace subscription_state_test {

using state = subscription_state;
using event = subscription_event;
using step = subscription_step;

constexpr state all[] = {
    state::requested,
    state::confirmed,
    state::ended,
    state::repeated,
    state::refused,
    state::owned,
    state::denied,
    state::given_up};

TEST_CASE("a confirmation and a new connection count in each state of a subscription", "[subscriptions]")
{
    for (auto const s : all) {
        CHECK(next(s, event::confirmed) == subscription_transition{state::confirmed});
        CHECK(next(s, event::renewed) == subscription_transition{state::requested});
    }
}

TEST_CASE(
    "a subscription that ends asks for the slots, and after a further refusal the listeners look", "[subscriptions]")
{
    CHECK(next(state::requested, event::ended) == subscription_transition{state::ended, step::ask});
    CHECK(next(state::confirmed, event::ended) == subscription_transition{state::ended, step::ask});
    CHECK(next(state::repeated, event::ended) == subscription_transition{state::refused, step::look});
    CHECK(next(state::owned, event::ended) == subscription_transition{state::denied, step::look});
    for (auto const s : {state::ended, state::refused, state::denied, state::given_up})
        CHECK(next(s, event::ended) == subscription_transition{s});
}

TEST_CASE("a subscription whose slot has not moved is repeated once", "[subscriptions]")
{
    CHECK(next(state::ended, event::slots) == subscription_transition{state::repeated, step::repeat});
    for (auto const s : all)
        if (s != state::ended)
            CHECK(next(s, event::slots) == subscription_transition{s});
}

TEST_CASE(
    "a subscription is given up when a server refuses it between two proofs that it has the slot", "[subscriptions]")
{
    CHECK(next(state::refused, event::served) == subscription_transition{state::owned, step::repeat});
    CHECK(next(state::denied, event::served) == subscription_transition{state::given_up, step::give_up});
    for (auto const s : all)
        if (s != state::refused && s != state::denied)
            CHECK(next(s, event::served) == subscription_transition{s});
}

TEST_CASE("a subscription counts until the server has refused or ended it", "[subscriptions]")
{
    for (auto const s : {state::requested, state::confirmed, state::repeated, state::owned})
        CHECK(is_subscribed(s));
    for (auto const s : {state::ended, state::refused, state::denied, state::given_up})
        CHECK_FALSE(is_subscribed(s));
}

}  // namespace subscription_state_test
}  // namespace holdfast::engine
