//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CLUSTER_SLOTS_HPP
#define HOLDFAST_SESSION_CLUSTER_SLOTS_HPP

#include <cstddef>
#include <optional>

#include "core/hash_slot.hpp"
#include "engine/port/reply.hpp"

namespace holdfast::session {

// What the reply to CLUSTER SLOTS says about a cluster.
struct cluster_summary {
    std::size_t primaries = 0;  // that have slots
    std::size_t slots = 0;      // that have a primary

    bool is_one_node() const noexcept { return primaries == 1 && slots == core::hash_slots; }
};

// Reads the reply to CLUSTER SLOTS: a list of [first, last, primary, replica ...], where a node is [host, port, id,
// ...]. Older servers send no id; then the address identifies the node. Nothing: the reply is not of that form. A pure
// function of a reply that may come from any program: ranges may overlap, and their number is not limited.
std::optional<cluster_summary> read_cluster_slots(engine::reply const&);

}  // namespace holdfast::session

#endif
