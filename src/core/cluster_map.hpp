//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_CLUSTER_MAP_HPP
#define HOLDFAST_CORE_CLUSTER_MAP_HPP

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/hash_slot.hpp"

namespace holdfast::core {

// Some of the hash slots.
using slot_set = std::bitset<hash_slots>;

// A primary of a Redis Cluster, as a node of the cluster announces it.
struct cluster_primary {
    std::string id;    // empty: the server sends none, and the address identifies the node
    std::string host;  // empty: the host by which the answering node was reached; "?": the node does not know it
    std::uint16_t port = 0;
    std::string name = {};  // the host name of its certificate; empty: the host

    bool operator==(cluster_primary const&) const = default;
};

// Consecutive hash slots of one primary.
struct slot_range {
    std::uint16_t first;
    std::uint16_t last;     // at least first, less than hash_slots
    std::uint16_t primary;  // the index in cluster_map::primaries

    bool operator==(slot_range const&) const = default;
};

// Which primary has which hash slots, as one node of a Redis Cluster sees it. The ranges come from a server: they may
// overlap, and need not cover all slots.
struct cluster_map {
    static constexpr std::uint16_t no_primary = 0xffff;

    std::vector<cluster_primary> primaries;  // each once, in the order of the first range
    std::vector<slot_range> ranges;
    std::vector<cluster_primary> replicas = {};  // of these primaries, each once: they may take their places

    // The index of the primary of each slot; no_primary for a slot without one. Of two ranges with the same slot, the
    // last one counts.
    std::vector<std::uint16_t> primary_by_slot() const;
    // The number of slots that have a primary.
    std::size_t covered_slots() const;
    // One primary has all slots: a client of one server can use it.
    bool is_one_node() const;
};

}  // namespace holdfast::core

#endif
