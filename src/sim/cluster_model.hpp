//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_CLUSTER_MODEL_HPP
#define HOLDFAST_TESTING_CLUSTER_MODEL_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster_map.hpp"
#include "sim/cluster_view.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::simulated {

// What the nodes of a cluster tell each other: a changed view, or a message that a client has published.
enum class bus_message : std::uint8_t { view, publication };

// A model of a Redis Cluster of primaries: several models of servers, what each of them believes of the hash slots, and
// the bus over which they tell each other. A node answers by its own view, which may be out of date: MOVED to another
// primary, CLUSTERDOWN for a slot without one, CLUSTER SLOTS. PUBLISH reaches the subscribers of all nodes, SPUBLISH
// those of the node.
//
// | event              | the node that gives | the node that gets | all others                                      |
// |--------------------|---------------------|--------------------|-------------------------------------------------|
// | assign()           |                     | knows at once      | know at once                                    |
// | move(), the slot   | knows at once       | knows at once      | know when the message of the bus has arrived    |
// | has another        |                     |                    |                                                 |
// | primary            |                     |                    |                                                 |
// | move(), otherwise  |                     |                    |                                                 |
//
// Between begin_move() and move() a slot is half-moved: it is migrating at its primary, and importing at the other node
// (node_slots); move_key() moves one of its keys.
//
// A node that is stopped or cut off from the others goes on with its view: it is a former primary as soon as the others
// know its successor (promote()), and executes commands until it learns of that (rejoin()). A key that is moved to
// another node is a write there and here, which their replicas have yet to receive.
//
// It has no clock: the caller says when a message of the bus arrives. Not modelled: the vote for a successor, and that
// a primary without a majority refuses commands after a while.
class cluster_model {
public:
    // Calls a function when a message of the bus has arrived.
    using bus = std::function<void(bus_message, std::function<void()>)>;

    // By default a message arrives at once.
    explicit cluster_model(bus = [](bus_message, auto const& arrive) { arrive(); });
    cluster_model(cluster_model const&) = delete;
    cluster_model& operator=(cluster_model const&) = delete;
    ~cluster_model();

    // Adds a node without slots. The name is also its host, until announce(); its port is 6379. The model must outlive
    // this object; it then keeps its view.
    void add(std::string name, redis_model&);
    // All nodes learn that this one, without slots, is a replica of that primary, until it is promoted.
    void replicate(std::string_view replica, std::string_view primary);
    std::vector<std::string> names() const;

    // The node has another host now, and tells the others.
    void announce(std::string_view node, std::string host);
    std::string const& host_of(std::string_view node) const;

    // Gives slots to a primary at the beginning, or again: keys stay where they are.
    void assign(std::uint16_t first, std::uint16_t last, std::string_view to);
    // Gives a slot with its keys to another primary: a reshard of one slot that has ended. Preconditions: the slot has
    // a primary; if it is half-moved, it goes to its destination.
    void move(std::uint16_t slot, std::string_view to);
    // Begins to move a slot key by key. Precondition: the slot has a primary, and is not being moved.
    void begin_move(std::uint16_t slot, std::string_view to);
    // MIGRATE of one key with its time to live. Returns false if its slot is not half-moved, or the source does not
    // have the key.
    bool move_key(std::string_view key);
    // The keys of a half-moved slot that are at the source still, in order.
    std::vector<std::string> keys_to_move(std::uint16_t slot) const;
    // The node to which a half-moved slot is being moved; empty: it is not half-moved.
    std::string_view destination_of(std::uint16_t slot) const;
    // Whether that node has a half-moved slot, or gets one.
    bool has_half_moved(std::string_view node) const;

    // The messages of the other nodes do not reach that one, and its own do not reach them.
    void isolate(std::string_view node);
    // Its connections to the others are restored, and it learns at once what they know. If it has no slots any more, it
    // becomes a replica, and forgets its keys.
    void rejoin(std::string_view node);
    // A replica of a primary takes over all slots of that, with those of its keys that it has received. Returns these
    // slots. Precondition: the replica has no slots, and the primary has no half-moved ones.
    core::slot_set promote(std::string_view replica, std::string_view primary, keyspace const& received);

    // The primary of a slot as the node with the latest news sees it; empty: there is none.
    std::string_view primary_of(std::uint16_t slot) const;
    // As that node sees it.
    std::string_view primary_of(std::uint16_t slot, std::string_view seen_by) const;

private:
    struct member {
        std::string name;
        redis_model* model;
        cluster_view view;
        std::vector<std::string> hosts;  // of all nodes, as this one believes
        cluster_view::node replicates = cluster_view::no_node;
        bool is_isolated = false;
    };

    cluster_view::node number_of(std::string_view name) const;
    cluster_view::claim latest(std::uint16_t slot) const;
    std::string_view name_of(cluster_view::node) const;
    struct open_slot {
        cluster_view::node from;
        cluster_view::node to;
    };
    void tell(cluster_view::node from);
    void learn(cluster_view::node to, cluster_view::node from);
    void show(member&);
    void publish(cluster_view::node from, std::string_view channel, std::string_view text);

    bus bus_;
    std::vector<member> members_;
    std::map<std::uint16_t, open_slot> half_moved_;
    std::uint32_t epoch_ = 0;
};

}  // namespace holdfast::simulated

#endif
