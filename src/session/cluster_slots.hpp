//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CLUSTER_SLOTS_HPP
#define HOLDFAST_SESSION_CLUSTER_SLOTS_HPP

#include <optional>

#include "core/cluster_map.hpp"
#include "engine/port/reply.hpp"

namespace holdfast::session {

// Reads the reply to CLUSTER SLOTS: a list of [first, last, primary, replica ...], where a node is [host, port, id,
// metadata]. Older servers send no id; then the address identifies the node. Nothing: the reply is not of that form, or
// names more primaries than there are slots. A pure function of a reply that may come from any program: ranges may
// overlap, and their number is not limited.
std::optional<core::cluster_map> read_cluster_slots(engine::reply const&);

}  // namespace holdfast::session

#endif
