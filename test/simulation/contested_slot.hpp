//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_CONTESTED_SLOT_HPP
#define HOLDFAST_TEST_SIMULATION_CONTESTED_SLOT_HPP

#include <memory>
#include <string>
#include <utility>

#include "simulation/arena.hpp"
#include "simulation/cluster_rules.hpp"
#include "support/simulated_cluster.hpp"

namespace holdfast::test {

// What happens to a hash slot.
enum class slot_change { none, moves, fails_over };

// Makes the servers of an arena a cluster of three primaries, in which the hash slot of one key moves from node to
// node, now as a whole, now key by key. With fails_over its primary also stops once, for ever, and its replica, which
// has all writes, is promoted. The clients that the arena makes afterwards are clients of the cluster.
class contested_slot {
public:
    contested_slot(arena& a, std::string key, slot_change what)
        : world_(a.world()),
          key_(std::move(key)),
          cluster_(a.simulated(), {.replicas = what == slot_change::fails_over ? 3U : 0U, .replication = {}})
    {
        a.use_seeds(cluster_.names());
        for (auto const& name : cluster_.names())
            a.server(name).check([r = rules_](executed const& e) { (*r)(e); });
        for (int i = 0; i < 2; ++i)
            move_after(draw().between(core::duration::zero(), std::chrono::milliseconds(300)));
        if (what == slot_change::fails_over)
            fail_over_after(draw().between(core::duration::zero(), std::chrono::milliseconds(300)));
    }

    // The present primary of the slot.
    simulated_server& server() { return cluster_.server_of(key_); }

private:
    chance& draw() { return world_.chance(); }

    void move_after(core::duration d)
    {
        auto const is_whole = draw().happens(0.3);
        auto const lasts = draw().between(core::duration::zero(), std::chrono::seconds(1));
        world_.at(world_.now() + d, [this, is_whole, lasts] {
            if (is_whole)
                cluster_.move_on(key_);
            else
                cluster_.move_on_slowly(key_, lasts);
        });
    }

    // Later, if the slot is half-moved then.
    void fail_over_after(core::duration d)
    {
        world_.at(
            world_.now() + d,
            [this, promoted = draw().between(std::chrono::milliseconds(200), std::chrono::seconds(2))] {
                if (!cluster_.fail_over(cluster_.number_of(key_), promoted, std::chrono::hours(1'000)))
                    fail_over_after(std::chrono::milliseconds(100));
            });
    }

    virtual_world& world_;
    std::string const key_;
    // Clients may still send commands when this object has ended.
    std::shared_ptr<cluster_rules> rules_ = std::make_shared<cluster_rules>();
    simulated_cluster cluster_;
};

}  // namespace holdfast::test

#endif
