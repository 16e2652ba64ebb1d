//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_VOTE_HPP
#define HOLDFAST_VOTE_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <holdfast/lease.hpp>

#include "red_state.hpp"

namespace holdfast::detail {

// What one server said in a round, and whether that counts.
struct vote {
    enum class kind : std::uint8_t { silent, granted, busy, refused, expired, young, unknown_age, unfenced };

    kind said = kind::silent;
    bool has_ended = false;  // nothing more will come
    error_code why = {};     // it was refused
    lease held = {};
    std::optional<engine::server_identity> server = {};  // none: its client was never connected

    void note(attempt_end);
    // A grant counts if it is valid, and its server had run for long enough before it was asked.
    void check(red_state const&, core::instant asked) noexcept;
    // The server does not say since when it runs, and so never counts: INFO is not permitted.
    bool hides_its_age(red_state const&) const noexcept;
    // Of its server, at the latest; never: it does not say.
    core::instant running_since() const noexcept { return server ? server->running_since : core::never; }
    std::string words() const;
};

// What is known of the server now.
bool are_of_one_server(vote const&, vote const&) noexcept;

std::optional<engine::server_identity> server_of(lockable const&);

}  // namespace holdfast::detail

#endif
