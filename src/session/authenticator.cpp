//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/authenticator.hpp"

#include <array>

namespace holdfast::session {
namespace {

using state = authenticator::state;
using event = authenticator::event;
using action = authenticator::action;

struct row {
    state from;
    event what;
    authenticator::transition to;
};

// The rows of the table in the header in which something changes.
constexpr std::array rows{
    row{state::idle, event::connect, {state::asking, action::ask}},
    row{state::asking, event::yielded, {state::greeting, action::greet}},
    row{state::asking, event::failed, {state::idle, action::give_up}},
    row{state::asking, event::closed, {state::idle, action::abandon}},
    row{state::greeting, event::accepted, {state::authenticated, action::schedule}},
    row{state::greeting, event::refused, {state::idle, action::none}},
    row{state::greeting, event::closed, {state::idle, action::none}},
    row{state::authenticated, event::due, {state::renewing, action::ask}},
    row{state::authenticated, event::closed, {state::idle, action::none}},
    row{state::renewing, event::yielded, {state::authenticating, action::authenticate}},
    row{state::renewing, event::failed, {state::authenticated, action::retry}},
    row{state::renewing, event::closed, {state::idle, action::abandon}},
    row{state::authenticating, event::accepted, {state::authenticated, action::schedule}},
    row{state::authenticating, event::refused, {state::authenticated, action::retry}},
    row{state::authenticating, event::unanswered, {state::authenticated, action::retry}},
    row{state::authenticating, event::closed, {state::idle, action::none}},
};

constexpr std::array refusals{std::string_view("WRONGPASS"), std::string_view("NOAUTH"), std::string_view("ERR AUTH")};

}  // namespace

authenticator::transition authenticator::transition_of(state s, event e) noexcept
{
    auto const found = std::ranges::find_if(rows, [&](row const& r) { return r.from == s && r.what == e; });
    return found == rows.end() ? transition{s, action::none} : found->to;
}

authenticator::action authenticator::on(event e) noexcept
{
    if (e == event::refused || e == event::accepted)
        is_refused_ = e == event::refused;
    auto const [next, what] = transition_of(state_, e);
    state_ = next;
    return what;
}

bool refuses_credentials(std::string_view words) noexcept
{
    return std::ranges::any_of(refusals, [&](auto const& r) { return words.starts_with(r); });
}

}  // namespace holdfast::session
