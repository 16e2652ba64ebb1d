//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/cluster_view.hpp"

namespace holdfast::simulated {

std::vector<std::uint16_t> cluster_view::merge(cluster_view const& other)
{
    std::vector<std::uint16_t> changed;
    for (std::uint16_t slot = 0; slot != core::hash_slots; ++slot) {
        auto const& theirs = other.claims_[slot];
        if (theirs.epoch <= claims_[slot].epoch)
            continue;
        if (theirs.primary != claims_[slot].primary)
            changed.push_back(slot);
        claims_[slot] = theirs;
    }
    return changed;
}

std::vector<cluster_view::range> cluster_view::ranges() const
{
    std::vector<range> all;
    for (std::uint16_t slot = 0; slot != core::hash_slots; ++slot) {
        auto const primary = claims_[slot].primary;
        if (primary == no_node)
            continue;
        bool const goes_on = !all.empty() && all.back().primary == primary && all.back().last + 1 == slot;
        if (goes_on)
            all.back().last = slot;
        else
            all.push_back({slot, slot, primary});
    }
    return all;
}

}  // namespace holdfast::simulated
