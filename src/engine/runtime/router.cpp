//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/router.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine {
namespace {

// The id stays when a node changes its address. A server without ids is known by its address.
bool is_same_node(core::cluster_primary const& a, core::cluster_primary const& b)
{
    return a.id.empty() || b.id.empty() ? a == b : a.id == b.id;
}

}  // namespace

router::router(shard& first, session_maker make, shard_events& e, log const& l)
    : first_(first), make_session_(std::move(make)), events_(e), log_(l)
{}

// Translates the numbers of the map into those of the nodes, which stay the same from map to map.
void router::take(core::cluster_map const& map)
{
    if (is_stopped_)
        return;
    std::vector<std::uint16_t> numbers;
    numbers.reserve(map.primaries.size());
    for (auto const& p : map.primaries)
        numbers.push_back(number_of(p));
    by_slot_ = map.primary_by_slot();
    for (auto& n : by_slot_)
        if (n != core::cluster_map::no_primary)
            n = numbers[n];
}

std::uint16_t router::number_of(core::cluster_primary const& p)
{
    auto const at = std::ranges::find_if(nodes_, [&](auto const& n) { return is_same_node(n->primary, p); });
    auto const number = static_cast<std::uint16_t>(at - nodes_.begin());
    if (at == nodes_.end())
        nodes_.push_back(std::make_unique<node>(node{p, nullptr}));
    else if (!(*at)->at)
        (*at)->primary = p;  // the address may have changed
    return number;
}

shard& router::of(std::uint16_t slot)
{
    auto const number = by_slot_.empty() ? core::cluster_map::no_primary : by_slot_[slot];
    if (number == core::cluster_map::no_primary)
        return first_;
    auto& n = *nodes_[number];
    if (!n.at && !is_stopped_)
        start(n);
    return n.at ? *n.at : first_;
}

shard* router::find(std::uint16_t slot) noexcept
{
    auto const number = by_slot_.empty() ? core::cluster_map::no_primary : by_slot_[slot];
    return number == core::cluster_map::no_primary ? &first_ : nodes_[number]->at.get();
}

// The shard is in its place before its session starts: an event may ask for it.
void router::start(node& n)
{
    n.at = std::make_unique<shard>(make_session_(n.primary), log_);
    n.at->start(events_);
}

void router::stop() noexcept
{
    is_stopped_ = true;
    for_each([](shard& s) { s.stop(); });
}

}  // namespace holdfast::engine
