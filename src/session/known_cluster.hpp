//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_KNOWN_CLUSTER_HPP
#define HOLDFAST_SESSION_KNOWN_CLUSTER_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "session/cluster_slots.hpp"

namespace holdfast::session {

// Whether a map is of the cluster that the client uses. A host of the URL may belong to another cluster by now, and
// whoever locks there excludes nobody here. A map is of the known cluster if it names a node of the last one, as a
// primary or as a replica.
//
// | state   | a map that names a known node, | any other map                                         |
// |         | or has no ids                  |                                                       |
// |---------|--------------------------------|-------------------------------------------------------|
// | unknown | accepted: known                | accepted: known                                       |
// | known   | accepted                       | refused: doubted                                      |
// | doubted | accepted: known                | refused, and after `patience` in this state replaced: |
// |         |                                | known, because no node of the former cluster answers  |
class known_cluster {
public:
    enum class answer : std::uint8_t { accepted, refused, replaced };

    static constexpr core::duration patience = std::chrono::seconds(30);

    answer judge(core::cluster_map const&, core::instant now);

private:
    bool knows_any_of(core::cluster_map const&) const;
    void learn(core::cluster_map const&);

    std::vector<std::string> ids_;  // of all nodes of the last accepted map, sorted; empty: unknown
    core::instant doubted_since_ = core::never;
};

}  // namespace holdfast::session

#endif
