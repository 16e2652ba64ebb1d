//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/cluster_map.hpp"

#include <algorithm>

#include "core/hash_slot.hpp"

namespace holdfast::core {

std::vector<std::uint16_t> cluster_map::primary_by_slot() const
{
    std::vector<std::uint16_t> by_slot(hash_slots, no_primary);
    for (auto const& r : ranges)
        std::fill(by_slot.begin() + r.first, by_slot.begin() + r.last + 1, r.primary);
    return by_slot;
}

std::size_t cluster_map::covered_slots() const
{
    auto const by_slot = primary_by_slot();
    return by_slot.size() - static_cast<std::size_t>(std::ranges::count(by_slot, no_primary));
}

bool cluster_map::is_one_node() const
{
    return primaries.size() == 1 && covered_slots() == hash_slots;
}

}  // namespace holdfast::core
