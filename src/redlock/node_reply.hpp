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
    // silent: no reply that decides anything; busy: another contender holds the lock there; refused: the server
    // does not grant, and its error says why. The others are grants: only `granted` counts.
    enum class kind : std::uint8_t { silent, granted, busy, refused, expired, young, unknown_age, unfenced };

    kind outcome = kind::silent;
    bool has_ended = false;    // the attempt on this server has completed
    bool is_cut_off = false;   // its client has no connection, and the acquire requires one
    described_error why = {};  // the error of the attempt
    lease held = {};
    std::optional<engine::server_identity> server = {};  // none: its client was never connected

    void record(attempt_end);
    // Classifies a grant. It counts if its lease is valid and its server had certainly been running for max_lease when
    // the round began (`at`): a server that restarted later may have forgotten a lease that is still valid. So may a
    // primary of a cluster that this client has known as the primary for a shorter time.
    // Precondition: a grant.
    void check(red_lock_impl const&, core::instant at) noexcept;
    // What a valid grant is, by the age of its server: granted, young or unknown_age.
    static kind by_age(red_lock_impl const&, core::instant running_since, core::instant at) noexcept;
    // True if the server will not count in any round, because its start time is unknown: its access rules deny INFO.
    bool hides_its_age(red_lock_impl const&) const noexcept;
    // The latest possible start time of the server; core::never: unknown.
    core::instant running_since() const noexcept { return server ? server->running_since : core::never; }
    std::string describe() const;
};

// Whether both are one server, by its run id. False if one of them is unknown.
bool is_same_server(
    std::optional<engine::server_identity> const&, std::optional<engine::server_identity> const&) noexcept;

// The server to which the lock's client was connected last, or the primary of a cluster that has the lock's slot.
// Thread-safe.
std::optional<engine::server_identity> server_of(single_lock const&);

}  // namespace holdfast::detail

#endif
