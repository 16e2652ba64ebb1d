//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CLUSTER_VIEW_HPP
#define HOLDFAST_CLI_CLUSTER_VIEW_HPP

#include <bitset>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operations/command_query.hpp"
#include "tool/diagnosis.hpp"

// What the nodes of a Redis Cluster say about the cluster. Pure functions.
namespace holdfast::cli {

constexpr std::size_t hash_slots = 16'384;
using slot_set = std::bitset<hash_slots>;

// What several nodes say. Each has a view of its own, and a client may have that of any node.
struct cluster_view {
    slot_set uncovered;            // slots that have no primary, or one that may have failed, in a view at least
    std::set<std::string> failed;  // the addresses of the nodes that may have failed
    slot_set open;                 // slots that are half-moved; a node knows only its own
};

// Adds the view of a node: its reply to CLUSTER NODES. Lines that it does not understand are ignored.
void add_cluster_nodes(cluster_view&, std::string_view reply);

// Hash slots that follow each other, and the address of their primary.
struct primary_range {
    std::size_t first;
    std::size_t last;
    std::string address;
};

// The command that asks a node for all ranges that have a primary, and what its reply says. A reply of any other form
// is no range.
std::vector<std::string> ranges_command();
std::vector<primary_range> read_ranges(detail::command_reply const&);
// Adds the view of that node.
void add_ranges(cluster_view&, std::vector<primary_range> const&);
// The address of the primary of that slot; empty: not known.
std::string address_of(std::size_t slot, std::vector<primary_range> const&);

// "0-5460, 5462"; at most four ranges, then the number of the others.
std::string words_of(slot_set const&);

finding judge_coverage(cluster_view const&);
// `untested`: why no node told about its open slots; empty: all did.
finding judge_open_slots(cluster_view const&, std::string_view untested);
// The findings from the reply to CONFIG GET cluster-*, for locks with that lease time.
std::vector<finding> judge_settings(detail::command_reply const&, std::chrono::milliseconds lease);

}  // namespace holdfast::cli

#endif
