//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SIMULATED_CLUSTER_HPP
#define HOLDFAST_TEST_SUPPORT_SIMULATED_CLUSTER_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster_map.hpp"
#include "sim/cluster_model.hpp"
#include "support/fault_plan.hpp"
#include "support/simulated_server.hpp"
#include "support/simulation.hpp"

namespace holdfast::test {

struct cluster_options {
    unsigned primaries = 3;
    unsigned replicas = 0;  // as many of the primaries have one, the first ones; it has no slots until it is promoted
    // How long a write takes from a primary to its replica. Zero: a failover loses none.
    span_of_time replication = {std::chrono::microseconds(100), std::chrono::milliseconds(1)};
    // The operator waits until the replica has a key that was moved (WAIT after MIGRATE). Otherwise a failover may lose it,
    // although the replica of the source had acknowledged it: docs/acknowledgement.md.
    bool moves_are_acknowledged = false;
    std::string prefix = "node-";  // of the names of its nodes
    // How long it takes until a node learns of a change.
    span_of_time gossip = {std::chrono::milliseconds(1), std::chrono::milliseconds(500)};
    // How long a published message takes from one node to another.
    span_of_time bus = {std::chrono::microseconds(100), std::chrono::milliseconds(1)};
};

// A Redis Cluster of servers of a simulation, named node-0, node-1 ... unless there is another prefix, which have equal
// parts of the hash slots at the beginning. Each of them has its own faults and network, and its own view of the
// cluster. A primary that is stopped gets no slots, and gives none away: its operator would wait for its successor.
class simulated_cluster {
public:
    explicit simulated_cluster(simulation&, cluster_options = {});

    simulated::cluster_model& model() noexcept { return model_; }
    std::vector<std::string> const& names() const noexcept { return names_; }
    simulated_server& node(unsigned i) { return simulation_.server(names_.at(i)); }
    // The primary that has the slot of that key now, whatever the other nodes believe.
    simulated_server& server_of(std::string_view key);
    // Its number in names().
    unsigned number_of(std::string_view key) const;

    // As a container that is replaced: the node dies, and starts after `downtime` with its data, its id and its slots at a
    // new address. Nobody answers at the former one: connections are refused, or stay without an answer.
    enum class former_address : std::uint8_t { refuses, is_silent };
    void replace_container(unsigned node, core::duration downtime, former_address);
    // The node announces that address from now on, and can be reached there.
    void announce(unsigned node, std::string const& address);

    // Gives the slot of that key, with all its keys, to another node.
    void move(std::string_view key, unsigned to);
    // Gives it to the next primary.
    void move_on(std::string_view key);
    // Moves the slot of that key to another node key by key: it is half-moved for that time. Its keys move at moments
    // that are drawn from the seed, and the last ones in the end. Without effect if the slot is half-moved already.
    void move_slowly(std::string_view key, unsigned to, core::duration);
    void move_on_slowly(std::string_view key, core::duration);
    // That primary stops, its replica is promoted after a time, and the primary wakes up after another time: it
    // executes for a few milliseconds what lies in its sockets, before it learns that it has been replaced. Returns
    // false, without effect, if it has no replica any more, or a half-moved slot: its successor would not know that it
    // is half-moved.
    bool fail_over(unsigned primary, core::duration until_promotion, core::duration until_wake);
    struct failover {
        core::instant promoted;
        core::slot_set slots;
        bool lost_writes;  // which the former primary had executed
    };
    std::vector<failover> const& failovers() const noexcept { return failovers_; }
    // Whether that node has been replaced, and has not noticed it yet.
    bool is_former_primary(std::string_view node) const { return role_of(node) == role::replaced; }
    // Gives one slot to a node, both drawn from the seed. A slot without keys is as good as any.
    void move_any();

private:
    core::duration delay(simulated::bus_message);
    void after(core::duration, std::function<void()>);
    unsigned next_of(std::string_view key);
    unsigned present(unsigned primary) const;
    enum class role : std::uint8_t { working, stopped, replaced, replica };
    role role_of(std::string_view node) const;
    bool is_working(std::string_view node) const { return role_of(node) == role::working; }
    void replicate(unsigned primary);
    void promote_replica_of(unsigned primary);
    void move_some(std::uint16_t slot, core::instant end);
    void end_move(std::uint16_t slot, std::string_view to);
    void wait_for_replica_of(std::string_view node);
    void tell_time();

    simulation& simulation_;
    cluster_options const options_;
    std::vector<std::string> names_;
    std::vector<failover> failovers_;
    unsigned addresses_ = 0;                                // that nodes were given later
    std::vector<role> roles_;                               // of the first primaries
    std::shared_ptr<int> alive_ = std::make_shared<int>();  // messages that arrive later find that it has ended
    simulated::cluster_model model_;
};

}  // namespace holdfast::test

#endif
