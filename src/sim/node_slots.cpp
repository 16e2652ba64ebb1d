//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/node_slots.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/hash_slot.hpp"

namespace holdfast::simulated {
namespace {

bool cross_slots(words keys)
{
    return std::ranges::any_of(
        keys, [&](auto const key) { return core::hash_slot(key) != core::hash_slot(keys.front()); });
}

value redirect(char const* how, std::uint16_t slot, std::string const& to)
{
    return error(how + (" " + std::to_string(slot)) + " " + to + ":6379");
}

value try_again()
{
    return error("TRYAGAIN Multiple keys request during rehashing of slot");
}

}  // namespace

void node_slots::set_cluster_mode(bool yes)
{
    *this = {};
    is_cluster_ = yes;
    if (yes)
        ranges_.push_back({0, core::hash_slots - 1, self_});
}

void node_slots::assign(std::vector<slot_range> ranges, std::string_view self)
{
    is_cluster_ = true;
    ranges_ = std::move(ranges);
    self_ = self;
    std::erase_if(migrating_, [this](auto const& m) { return !has(m.first); });
    std::erase_if(importing_, [this](auto const slot) { return has(slot); });
}

// In the order of Redis (getNodeByQuery), which decides before it runs the command: nothing was executed.
std::optional<value> node_slots::refuse(words keys, kind what, bool is_asking, keyspace& own) const
{
    if (!is_cluster_ || keys.empty())
        return std::nullopt;
    if (cross_slots(keys))
        return error("CROSSSLOT Keys in request don't hash to the same slot");
    auto const slot = core::hash_slot(keys.front());
    auto const* const at = find(slot);
    if (!at)
        return error("CLUSTERDOWN Hash slot not served");
    auto const is_here = [&](auto const key) { return own.find(key) != nullptr; };
    auto const present = what == kind::channels ? keys.size() : std::size_t(std::ranges::count_if(keys, is_here));
    bool const is_partial = present < keys.size();
    if (at->primary == self_) {
        auto const destination = migrating_.find(slot);
        if (destination == migrating_.end() || !is_partial)
            return std::nullopt;
        return present > 0 ? try_again() : redirect("ASK", slot, destination->second);
    }
    if (!is_asking || !importing_.contains(slot))
        return redirect("MOVED", slot, at->host);
    // A key that is named several times counts once.
    bool const are_several = std::ranges::any_of(keys, [&](auto const key) { return key != keys.front(); });
    return is_partial && are_several ? std::optional(try_again()) : std::nullopt;
}

bool node_slots::is_elsewhere(std::string_view key) const
{
    return is_cluster_ && !has(core::hash_slot(key));
}

bool node_slots::has(std::uint16_t slot) const
{
    auto const* const at = find(slot);
    return at && at->primary == self_;
}

slot_range const* node_slots::find(std::uint16_t slot) const
{
    auto const has_it = [slot](slot_range const& r) { return r.first <= slot && slot <= r.last; };
    auto const found = std::ranges::find_if(ranges_, has_it);
    return found == ranges_.end() ? nullptr : &*found;
}

}  // namespace holdfast::simulated
