//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_NODE_REPLY_HPP
#define HOLDFAST_NODE_REPLY_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <holdfast/lease.hpp>

#include "redlock/red_lock_impl.hpp"

namespace holdfast::detail {

// The reply of one server in a round, and whether it counts towards the majority.
struct node_reply {
    enum class kind : std::uint8_t { silent, granted, busy, refused, expired, young, unknown_age, unfenced };

    kind outcome = kind::silent;
    bool has_ended = false;  // the attempt on this server has completed
    error_code why = {};     // of a reply that was refused
    lease held = {};
    std::optional<engine::server_identity> server = {};  // none: its client was never connected

    void record(attempt_end);
    // A grant counts if its lease is valid and its server had been running for max_lease when the round began.
    void check(red_lock_impl const&, core::instant asked) noexcept;
    // The server never counts, because its start time is unknown: an ACL denies INFO.
    bool hides_its_age(red_lock_impl const&) const noexcept;
    // The latest possible start time of the server; core::never: unknown.
    core::instant running_since() const noexcept { return server ? server->running_since : core::never; }
    std::string describe() const;
};

// Whether both replies came from one server, as far as the servers are known.
bool are_of_one_server(node_reply const&, node_reply const&) noexcept;

std::optional<engine::server_identity> server_of(lock_impl const&);

}  // namespace holdfast::detail

#endif
