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

#include "sim/cluster_model.hpp"
#include "support/fault_plan.hpp"
#include "support/simulated_server.hpp"
#include "support/simulation.hpp"

namespace holdfast::test {

struct cluster_options {
    unsigned primaries = 3;
    std::string prefix = "node-";  // of the names of its nodes
    // How long it takes until a node learns of a change.
    span_of_time gossip = {std::chrono::milliseconds(1), std::chrono::milliseconds(500)};
    // How long a published message takes from one node to another.
    span_of_time bus = {std::chrono::microseconds(100), std::chrono::milliseconds(1)};
};

// A Redis Cluster of servers of a simulation, named node-0, node-1 ... unless there is another prefix, which have equal
// parts of the hash slots at the beginning. Each of them has its own faults and network, and its own view of the cluster.
class simulated_cluster {
public:
    explicit simulated_cluster(simulation&, cluster_options = {});

    simulated::cluster_model& model() noexcept { return model_; }
    std::vector<std::string> const& names() const noexcept { return names_; }
    simulated_server& node(unsigned i) { return simulation_.server(names_.at(i)); }
    // The primary that has the slot of that key now, whatever the other nodes believe.
    simulated_server& server_of(std::string_view key);

    // Gives the slot of that key, with all its keys, to another node.
    void move(std::string_view key, unsigned to);
    // Gives it to the next node.
    void move_on(std::string_view key);
    // Moves the slot of that key to another node key by key: it is half-moved for that time. Its keys move at moments that
    // are drawn from the seed, and the last ones in the end. Without effect if the slot is half-moved already.
    void move_slowly(std::string_view key, unsigned to, core::duration);
    void move_on_slowly(std::string_view key, core::duration);
    // Gives one slot to a node, both drawn from the seed. A slot without keys is as good as any.
    void move_any();

private:
    core::duration delay(simulated::bus_message);
    void after(core::duration, std::function<void()>);
    unsigned next_of(std::string_view key);
    void move_some(std::uint16_t slot, core::instant end);
    void tell_time();

    simulation& simulation_;
    cluster_options const options_;
    std::vector<std::string> names_;
    std::shared_ptr<int> alive_ = std::make_shared<int>();  // messages that arrive later find that it has ended
    simulated::cluster_model model_;
};

}  // namespace holdfast::test

#endif
