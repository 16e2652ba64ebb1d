//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/cluster_slots.hpp"

#include <algorithm>
#include <bitset>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::session {
namespace {

using engine::reply;

// The id of a node, or its host and port.
struct node {
    std::string_view name;
    std::int64_t port;
    friend auto operator<=>(node const&, node const&) = default;
};

struct slot_range {
    std::size_t first;
    std::size_t last;
    node primary;
};

bool is(reply const& r, reply::kind k) noexcept
{
    return r.type == k;
}

// The host may be nil: the client should use the one by which it has reached the server.
std::optional<node> read_node(reply const& r)
{
    auto const& items = r.items;
    if (!is(r, reply::kind::array) || items.size() < 2 || !is(items[1], reply::kind::integer))
        return std::nullopt;
    bool const has_id = items.size() > 2 && is(items[2], reply::kind::text) && !items[2].text.empty();
    return has_id ? node{items[2].text, 0} : node{items[0].text, items[1].integer};
}

std::optional<slot_range> read_range(reply const& r)
{
    auto const& items = r.items;
    bool const has_bounds = is(r, reply::kind::array) && items.size() > 2 && is(items[0], reply::kind::integer)
                            && is(items[1], reply::kind::integer);
    if (!has_bounds)
        return std::nullopt;
    auto const first = items[0].integer;
    auto const last = items[1].integer;
    auto const primary = read_node(items[2]);
    if (!primary || first < 0 || last < first || last >= core::hash_slots)
        return std::nullopt;
    return slot_range{static_cast<std::size_t>(first), static_cast<std::size_t>(last), *primary};
}

}  // namespace

std::optional<cluster_summary> read_cluster_slots(reply const& r)
{
    if (!is(r, reply::kind::array))
        return std::nullopt;
    std::bitset<core::hash_slots> covered;
    std::vector<node> primaries;
    for (auto const& item : r.items) {
        auto const range = read_range(item);
        if (!range)
            return std::nullopt;
        for (auto slot = range->first; slot <= range->last; ++slot)
            covered.set(slot);
        if (primaries.empty() || primaries.back() != range->primary)
            primaries.push_back(range->primary);
    }
    std::ranges::sort(primaries);
    auto const same = std::ranges::unique(primaries);
    return cluster_summary{primaries.size() - same.size(), covered.count()};
}

}  // namespace holdfast::session
