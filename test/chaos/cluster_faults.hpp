//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CHAOS_CLUSTER_FAULTS_HPP
#define HOLDFAST_TEST_CHAOS_CLUSTER_FAULTS_HPP

#include <chrono>
#include <string>
#include <vector>

#include "support/chance.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {

// The faults of a cluster of three primaries with a replica each, in turn, and of one primary after the other. Before
// each of them the cluster is healthy: a primary that fails before its replica has its data takes locks with it.
class cluster_faults {
public:
    struct damage {
        int reshards = 0, failovers = 0, kills = 0, freezes = 0;
        std::size_t moved_slots = 0;
        int total() const noexcept { return reshards + failovers + kills + freezes; }
    };

    // The slots of these keys move first.
    cluster_faults(server_cluster& c, std::vector<std::string> keys, std::uint64_t seed)
        : cluster_(c), keys_(std::move(keys)), chance_(seed)
    {}

    // Until that time is over, and at least one of each kind, with a pause between two of them.
    void rage(std::chrono::seconds time, std::chrono::milliseconds least_pause, std::chrono::milliseconds most_pause);
    // Stops a primary until its replica is promoted, and wakes it 0 to 1 s later.
    void freeze(std::size_t primary);

    damage const& done() const noexcept { return done_; }

private:
    void strike();
    void reshard(std::size_t from);
    void kill(std::size_t primary);

    server_cluster& cluster_;
    std::vector<std::string> const keys_;
    chance chance_;
    damage done_;
};

std::string to_string(cluster_faults::damage const&);

}  // namespace holdfast::test

#endif
