//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SERVER_CLUSTER_HPP
#define HOLDFAST_TEST_SUPPORT_SERVER_CLUSTER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/cluster_node.hpp"

namespace holdfast::test {

// A private Redis Cluster of primaries, which have equal parts of the hash slots, and as many replicas if asked for. It
// is ready when the constructor returns; that takes a few seconds. A replica is promoted when its primary has not
// answered for more than a second.
class server_cluster {
public:
    enum class replicas { none, one_each };

    struct node_options {
        std::vector<std::string> lines = {};  // more lines of redis.conf
        std::uint16_t port = 0;               // by which the nodes know it; 0: that without TLS
    };
    using options_of = std::function<node_options(std::size_t primary)>;

    explicit server_cluster(std::size_t primaries = 3, replicas = replicas::none, options_of const& = {});

    cluster_node& operator[](std::size_t i) { return *nodes_.at(i); }
    std::size_t size() const noexcept { return nodes_.size(); }

    // redis+cluster:// with all nodes as seeds.
    std::string url() const;
    // The number of the node that has the slot of that key.
    std::size_t primary_of(std::string_view key) const { return owners_.at(slot_of(key)); }

    // Moves the slot of that key with its keys, as redis-cli does. All nodes know it when the function returns.
    void move(std::string_view key, std::size_t to);
    // To the next node.
    void move_on(std::string_view key) { move(key, (primary_of(key) + 1) % size()); }

    // The same in two steps. In between the slot is open: the given keys are at the other node, the others are not, and
    // new ones are created at the other node.
    void begin_move(std::string_view key, std::size_t to, std::vector<std::string> const& keys);
    void end_move(std::string_view key, std::size_t to);

    // Moves up to that number of the first node's slots to the second one: those of the given keys, then others.
    // Returns how many.
    std::size_t move_slots(
        std::size_t from, std::size_t to, std::size_t count, std::vector<std::string> const& keys = {});

    // The node that was made as the replica of that primary.
    cluster_node& replica_of(std::size_t primary) { return *replicas_.at(primary); }
    bool is_primary(cluster_node&);

    // Waits until the replica of that primary serves its slots. From then on it has the primary's number here, and the
    // former primary is its replica.
    void await_promotion(std::size_t primary);
    // A failover by CLUSTER FAILOVER, which loses no write.
    void fail_over(std::size_t primary);
    // Waits until each replica has the data of its primary, and all nodes know who has which slots.
    void await_health();
    // Kills that node, and keeps what it has counted.
    void kill(cluster_node&);

    // How often the nodes replied to clients with that error, such as "MOVED".
    std::int64_t errors(std::string const& name);
    // How often clients asked for CLUSTER SLOTS.
    std::int64_t slots_requests();

private:
    static std::uint16_t slot_of(std::string_view key);
    void move_slot(std::uint16_t slot, std::size_t to);
    void begin_move(std::uint16_t slot, std::size_t to);
    void end_move(std::uint16_t slot, std::size_t to);
    bool is_healthy(std::size_t primary);
    template <class Action>
    void for_each_node(Action);
    void migrate(std::size_t from, std::size_t to, std::string const& key);
    void assign(std::size_t node, int first, int last);
    bool is_ready(std::size_t node);
    bool knows_shards(cluster_node&);
    void assign_again(std::size_t node);
    void await_epoch_of(std::size_t node);
    void add_primary(node_options const&);

    void add_replicas();

    std::vector<std::unique_ptr<cluster_node>> nodes_;
    std::vector<std::unique_ptr<cluster_node>> replicas_;
    std::vector<std::string> ids_;
    std::vector<std::string> ports_;
    std::vector<std::size_t> owners_;         // by slot
    std::int64_t former_slots_requests_ = 0;  // of nodes that were started anew
    std::map<std::string, std::int64_t> former_errors_;
};

}  // namespace holdfast::test

#endif
