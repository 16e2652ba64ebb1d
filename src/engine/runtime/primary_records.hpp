//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_PRIMARY_RECORDS_HPP
#define HOLDFAST_ENGINE_PRIMARY_RECORDS_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "engine/port/server_identity.hpp"

namespace holdfast::engine {

// What a client of a cluster knows of its primaries, for a red_lock: it counts a grant only if the server that granted
// cannot have forgotten a lease. A primary of a cluster forgets in two ways: it restarts, or it is a promoted replica
// that had not received everything. Thread-safe: the router writes on the strand, and red_locks read on other threads.
class primary_records {
public:
    // The primaries by their ids, with their addresses.
    using node_list = std::map<std::string, std::string>;

    // From `now` on the client knows that node as the primary of the slot, unless it knew it before: a node whose
    // address has changed stays the primary.
    void on_primary(std::uint16_t slot, std::uint16_t node, core::instant now);
    // A connection to the node is open, and the server has told what it is.
    void on_server(std::uint16_t node, server_identity const&);
    void on_nodes(node_list);

    // The primary of that slot. Its `running_since` is also not before the client knew it as the primary of the slot.
    // None: the client has never been connected to it.
    std::optional<server_identity> server_of(std::uint16_t slot) const;
    // Never null.
    std::shared_ptr<node_list const> nodes() const;

private:
    struct record {
        std::uint16_t node = core::cluster_map::no_primary;
        core::instant since = {};
    };

    mutable std::mutex mutex_;
    std::vector<record> by_slot_;  // empty: the client does not know the slots yet
    std::map<std::uint16_t, server_identity> servers_;
    std::shared_ptr<node_list const> nodes_ = std::make_shared<node_list const>();
};

}  // namespace holdfast::engine

#endif
