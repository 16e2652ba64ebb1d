//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_NODE_SLOTS_HPP
#define HOLDFAST_TESTING_NODE_SLOTS_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/keyspace.hpp"
#include "sim/value.hpp"

namespace holdfast::simulated {

// The name of a server in its cluster, unless it was given another one.
inline constexpr std::string_view own_name = "self";

// Hash slots of a cluster, and the name and the host of the primary that has them.
struct slot_range {
    std::uint16_t first;
    std::uint16_t last;
    std::string primary;
    std::string host = primary;
    struct replica {
        std::string name;
        std::string host;
    };
    std::vector<replica> replicas = {};
};

// The hash slots of a cluster as one node believes them to be, and which commands it executes. A slot that is being
// moved key by key is migrating at the node that has it, the source, and importing at the other one, the destination:
//
// | keys of the command, in one slot  | source    | destination | destination, after ASKING |
// |-----------------------------------|-----------|-------------|---------------------------|
// | it has all of them                | executed  | MOVED       | executed                  |
// | it has one of several             | TRYAGAIN  | MOVED       | TRYAGAIN                  |
// | it has none of several            | ASK       | MOVED       | TRYAGAIN                  |
// | it does not have the only one     | ASK       | MOVED       | executed                  |
// | sharded channels                  | executed  | MOVED       | executed                  |
class node_slots {
public:
    bool is_cluster() const noexcept { return is_cluster_; }
    std::vector<slot_range> const& ranges() const noexcept { return ranges_; }

    // As a node that has all slots, or as a server that is no node of a cluster.
    void set_cluster_mode(bool yes);
    // `self` is the name of this node. Slots that are not named have no primary. A slot that has left the node is not migrating any more, and one that has come not importing.
    void assign(std::vector<slot_range>, std::string_view self);
    // To the node with that host.
    void migrate(std::uint16_t slot, std::string to) { migrating_[slot] = std::move(to); }
    void import(std::uint16_t slot) { importing_.insert(slot); }

    // What keys a command has.
    enum class kind : std::uint8_t { keys, channels };
    // The error with which the node refuses a command; none: it executes it. `is_asking`: ASKING came before.
    std::optional<value> refuse(words, kind, bool is_asking, keyspace& own) const;
    // Whether another node, or none, has the slot of that key.
    bool is_elsewhere(std::string_view key) const;

private:
    slot_range const* find(std::uint16_t slot) const;
    bool has(std::uint16_t slot) const;

    bool is_cluster_ = false;
    std::vector<slot_range> ranges_;
    std::string self_{own_name};
    std::map<std::uint16_t, std::string> migrating_;  // with the host of the destination
    std::set<std::uint16_t> importing_;
};

}  // namespace holdfast::simulated

#endif
