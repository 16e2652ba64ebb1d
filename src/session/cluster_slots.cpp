//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/cluster_slots.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/hash_slot.hpp"
#include "core/printable.hpp"

namespace holdfast::session {
namespace {

using engine::reply;

bool is(reply const& r, reply::kind k) noexcept
{
    return r.type == k;
}

bool is_in(std::int64_t n, std::int64_t first, std::int64_t last) noexcept
{
    return n >= first && n <= last;
}

// A node as the reply names it, in views of the reply.
struct node {
    std::string_view id;
    std::string_view host;
    std::uint16_t port;
    std::string_view name;

    // What identifies the node: its id, or its host and port.
    auto identity() const noexcept
    {
        return id.empty() ? std::pair(host, std::int32_t{port}) : std::pair(id, std::int32_t{-1});
    }
};

struct range {
    std::uint16_t first;
    std::uint16_t last;
    node primary;
    std::span<reply const> replicas;
};

// The host name among the metadata of a node, which are names and values in turn. It is there if the node announces
// one, but its host is an address (cluster-announce-hostname).
std::string_view announced_name(std::span<reply const> metadata)
{
    for (std::size_t i = 0; i + 1 < metadata.size(); i += 2)
        if (metadata[i].text == "hostname")
            return metadata[i + 1].text;
    return {};
}

// The host may be nil, which has no text.
std::optional<node> read_node(reply const& r)
{
    auto const& items = r.items;
    if (!is(r, reply::kind::array) || items.size() < 2 || !is(items[1], reply::kind::integer)
        || !is_in(items[1].integer, 0, std::numeric_limits<std::uint16_t>::max()))
        return std::nullopt;
    auto const name = items.size() > 3 ? announced_name(items[3].items) : std::string_view();
    // Both are logged.
    if (core::printable(items[0].text) != items[0].text || core::printable(name) != name)
        return std::nullopt;
    bool const has_id = items.size() > 2 && is(items[2], reply::kind::text);
    auto const id = has_id ? items[2].text : std::string_view();
    return node{id, items[0].text, static_cast<std::uint16_t>(items[1].integer), name};
}

std::optional<range> read_range(reply const& r)
{
    auto const& items = r.items;
    bool const has_bounds = is(r, reply::kind::array) && items.size() > 2 && is(items[0], reply::kind::integer)
                            && is(items[1], reply::kind::integer);
    if (!has_bounds)
        return std::nullopt;
    auto const first = items[0].integer;
    auto const last = items[1].integer;
    auto const primary = read_node(items[2]);
    if (!primary || !is_in(last, 0, core::hash_slots - 1) || !is_in(first, 0, last))
        return std::nullopt;
    return range{
        static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last), *primary, std::span(items).subspan(3)};
}

core::cluster_primary copy_of(node const& n)
{
    return {std::string(n.id), std::string(n.host), n.port, std::string(n.name)};
}

// Numbers the primaries in the order in which they are named first. A search in a list would take time in proportion to
// the square of their number, which the server chooses.
class numbering {
public:
    explicit numbering(core::cluster_map& to) : to_(to) {}

    std::uint16_t number_of(node const& n)
    {
        auto const next = static_cast<std::uint16_t>(to_.primaries.size());
        auto const [at, is_new] = numbers_.try_emplace(n.identity(), next);
        if (is_new)
            to_.primaries.push_back(copy_of(n));
        return at->second;
    }

    // A replica that cannot be read is left out: it has no slots.
    void note_replica(reply const& r)
    {
        auto const n = read_node(r);
        if (n && replicas_.insert(n->identity()).second)
            to_.replicas.push_back(copy_of(*n));
    }

private:
    using identity = std::pair<std::string_view, std::int32_t>;

    core::cluster_map& to_;
    std::map<identity, std::uint16_t> numbers_;
    std::set<identity> replicas_;
};

}  // namespace

std::optional<core::cluster_map> read_cluster_slots(reply const& r)
{
    if (!is(r, reply::kind::array))
        return std::nullopt;
    core::cluster_map map;
    numbering primaries(map);
    for (auto const& item : r.items) {
        auto const read = read_range(item);
        if (!read)
            return std::nullopt;
        map.ranges.push_back({read->first, read->last, primaries.number_of(read->primary)});
        for (auto const& replica : read->replicas)
            primaries.note_replica(replica);
        if (map.primaries.size() > core::hash_slots)
            return std::nullopt;
    }
    return map;
}

}  // namespace holdfast::session
