//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_CLUSTER_VIEW_HPP
#define HOLDFAST_TESTING_CLUSTER_VIEW_HPP

#include <cstdint>
#include <vector>

#include "core/hash_slot.hpp"

namespace holdfast::simulated {

// What one node of a cluster believes of the hash slots: which node is the primary of each of them, and since which
// epoch. The nodes tell each other their views; of two claims for a slot the one with the higher epoch is right.
// Source: "Redis cluster specification", redis.io ("Hash slots configuration propagation").
class cluster_view {
public:
    // The number of a node in its cluster_model.
    using node = std::uint16_t;
    static constexpr node no_node = 0xffff;

    struct claim {
        node primary = no_node;
        std::uint32_t epoch = 0;
        bool operator==(claim const&) const = default;
    };

    // Consecutive slots of one primary.
    struct range {
        std::uint16_t first;
        std::uint16_t last;
        node primary;
        bool operator==(range const&) const = default;
    };

    cluster_view() : claims_(core::hash_slots) {}

    claim const& of(std::uint16_t slot) const { return claims_[slot]; }
    void set(std::uint16_t slot, claim c) { claims_[slot] = c; }

    // Learns from another node: takes its claims with a higher epoch. Returns the slots that have another primary now.
    std::vector<std::uint16_t> merge(cluster_view const&);

    // The slots that have a primary, in ascending order.
    std::vector<range> ranges() const;

private:
    std::vector<claim> claims_;
};

}  // namespace holdfast::simulated

#endif
