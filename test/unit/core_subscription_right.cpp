//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/subscription_right.hpp"

namespace holdfast::core {
namespace core_subscription_right_test {

using right = subscription_right;
using state = right::state;
using change = right::change;

enum class event { refused, confirmed, opened };

right in(state s)
{
    right r;
    if (s == state::granted)
        return r;
    r.on_refused();
    if (s == state::refused)
        return r;
    r.on_open();
    if (s == state::retrying)
        r.on_open();
    return r;
}

change apply(right& r, event e)
{
    if (e == event::refused)
        return r.on_refused();
    if (e == event::confirmed)
        return r.on_confirmed();
    r.on_open();
    return change::none;
}

TEST_CASE(
    "a client whose subscription was refused polls for one epoch and subscribes again in the next",
    "[subscription_right]")
{
    struct {
        state before;
        event what;
        state after;
        change changed;
    } constexpr table[] = {
        {state::granted, event::opened, state::granted, change::none},
        {state::granted, event::confirmed, state::granted, change::none},
        {state::granted, event::refused, state::refused, change::polls},
        {state::refused, event::refused, state::refused, change::none},
        {state::refused, event::confirmed, state::refused, change::none},
        {state::refused, event::opened, state::polling, change::none},
        {state::polling, event::confirmed, state::polling, change::none},
        {state::polling, event::opened, state::retrying, change::none},
        {state::retrying, event::opened, state::retrying, change::none},
        {state::retrying, event::refused, state::refused, change::none},
        {state::retrying, event::confirmed, state::granted, change::subscribes_again},
    };
    for (auto const& row : table) {
        CAPTURE(int(row.before), int(row.what));
        auto r = in(row.before);
        REQUIRE(r.current_state() == row.before);
        CHECK(apply(r, row.what) == row.changed);
        CHECK(r.current_state() == row.after);
        CHECK(r.may_subscribe() == (row.after == state::granted || row.after == state::retrying));
    }
}

}  // namespace core_subscription_right_test
}  // namespace holdfast::core
