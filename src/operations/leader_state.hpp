//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEADER_STATE_HPP
#define HOLDFAST_LEADER_STATE_HPP

#include <optional>
#include <string_view>

#include <holdfast/election.hpp>

#include "core/clock.hpp"
#include "engine/port/reply.hpp"

namespace holdfast::detail {

// The reply of election_state.lua.
struct leader_state {
    std::optional<leader> now;                             // none: nobody leads
    core::duration changes_after = core::duration::max();  // without a message; max: never
};

// `client`: the UUID of the client that asks. A reply of another shape says that nobody leads.
leader_state read_leader_state(engine::reply const&, std::string_view client);

}  // namespace holdfast::detail

#endif
