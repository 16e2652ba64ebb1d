//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/primary_records.hpp"

#include <algorithm>
#include <utility>

#include "core/hash_slot.hpp"

namespace holdfast::engine {

void primary_records::on_primary(std::uint16_t slot, std::uint16_t node, core::instant now)
{
    std::scoped_lock const guard(mutex_);
    by_slot_.resize(core::hash_slots);
    if (by_slot_[slot].node != node)
        by_slot_[slot] = {node, now};
}

void primary_records::on_server(std::uint16_t node, server_identity const& s)
{
    std::scoped_lock const guard(mutex_);
    servers_[node] = s;
}

void primary_records::on_nodes(node_list n)
{
    auto fresh = std::make_shared<node_list const>(std::move(n));
    std::scoped_lock const guard(mutex_);
    nodes_.swap(fresh);
}

// `never` is the greatest instant, so a start that is not known stays unknown.
std::optional<server_identity> primary_records::server_of(std::uint16_t slot) const
{
    std::scoped_lock const guard(mutex_);
    if (by_slot_.empty())
        return std::nullopt;
    auto const at = servers_.find(by_slot_[slot].node);
    if (at == servers_.end())
        return std::nullopt;
    auto s = at->second;
    s.running_since = std::max(s.running_since, by_slot_[slot].since);
    return s;
}

std::shared_ptr<primary_records::node_list const> primary_records::nodes() const
{
    std::scoped_lock const guard(mutex_);
    return nodes_;
}

}  // namespace holdfast::engine
