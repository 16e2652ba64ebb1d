//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ROUTER_HPP
#define HOLDFAST_ENGINE_ROUTER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "core/redirect.hpp"
#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/runtime/primary_records.hpp"
#include "engine/runtime/redirect_state.hpp"
#include "engine/runtime/shard.hpp"

namespace holdfast::engine {

// Which shard has the keys of each hash slot, for a client of a cluster. A client of one server has no router. The
// session to a primary is started when the first lock of one of its slots asks for its shard, so that a client with
// five locks in a cluster of a hundred primaries has at most five. A shard is at one node, and lives as long as the
// router, because locks and commands refer to it; its session ends when the node has no slots any more and its
// connection is lost.
//
// | state   | take()                      | of()                                  | find()            | stop()  |
// |---------|-----------------------------|---------------------------------------|-------------------|---------|
// | empty   | routed                      | the first shard                       | the first shard   | stopped |
// | routed  | routed: the new map counts, | the shard of the primary, started now | the same, but     | stopped |
// |         | shards of known nodes stay  | if it was not; the first shard if the | null if it is not |         |
// |         |                             | slot never had a primary              | started           |         |
// | stopped | stopped: ignored            | the shard if it was started, else the | as before         | stopped |
// |         |                             | first shard                           |                   |         |
//
// A slot that the new map leaves without a primary keeps the last one. redirect() gives one slot to another node at
// once, before the next map, and makes the node known if it was not. redirect_state says when it does so, and against
// which maps it stands.
//
// The first shard is at the seeds. It belongs to the caller: the locks of a slot that never had a known primary are at
// it, and the seed's answer says what to do. A map of other nodes is the caller's to refuse. On the strand.
class router {
public:
    // What a new shard needs besides its session.
    using fitter = std::function<void(shard&, core::cluster_primary const&)>;

    // The first shard and the log must outlive the router.
    router(
        shard& first, session_maker, log const&, fitter = [](shard&, core::cluster_primary const&) {});
    router(router const&) = delete;
    router& operator=(router const&) = delete;

    // Called once, before all other functions. The events must outlive the router.
    void start(shard_events& e) noexcept { events_ = &e; }
    // Each returns the slots that have another shard now. record() follows.
    core::slot_set take(core::cluster_map const&);
    // `from` has answered MOVED. Only the primary of the slot counts: the answer of another node is older.
    core::slot_set redirect(core::redirect const&, shard const& from);
    // The server of that shard may be the primary of its slots no longer.
    void doubt(shard const&) noexcept;
    // The shard at the node that ASK names, which gets keys of that slot but does not have it yet. Null: the client has
    // stopped.
    shard* importing(core::redirect const&);
    // Records for red_locks: the slots that have another primary since `now`; the server to which that shard is
    // connected.
    void record(core::slot_set const& changed, core::instant now);
    void record(shard&);
    primary_records const& records() const noexcept { return records_; }
    shard& of(std::uint16_t slot);
    shard* find(std::uint16_t slot) noexcept;
    // One slot of each node that has slots, whether its session was started or not. Before the first map: the slot 0.
    std::vector<std::uint16_t> slot_of_each() const;
    bool have_same_primary(std::uint16_t, std::uint16_t) const noexcept;
    // The connection to that shard is lost. Ends its session if no slot is there any more: the node has left the
    // cluster, or is a replica now. The shard stays, because a command may remember it. If the node gets slots again,
    // it gets another shard.
    void retire_if_unused(shard&);
    // Ends all sessions but that of the first shard. No event follows. Idempotent.
    void stop() noexcept;

    // The shards whose sessions were started, without the first one.
    template <class Action>
    void for_each(Action act)
    {
        for (auto& n : nodes_)
            if (n->at)
                act(*n->at);
    }

private:
    struct node {
        core::cluster_primary primary;
        std::unique_ptr<shard> at;  // null: not started
        connection_id last = {};    // of the session that has ended, if there was one
    };

    // The last MOVED that the client has followed for a slot.
    struct followed {
        std::uint16_t sender;  // an index in nodes_, or no_primary
        redirect_state state;
    };

    std::uint16_t number_of(core::cluster_primary const&);
    std::uint16_t number_of(shard const&) const noexcept;
    std::uint16_t primary_of(std::uint16_t slot) const noexcept;
    bool follow_map(std::uint16_t slot, std::uint16_t number);
    void add(core::cluster_primary const&);
    void start(node&);
    bool assign(std::uint16_t slot, std::uint16_t number);
    primary_records::node_list named_primaries() const;

    shard& first_;
    session_maker const make_session_;
    fitter const fit_;
    shard_events* events_ = nullptr;
    log const& log_;
    bool is_stopped_ = false;
    std::vector<std::unique_ptr<node>> nodes_;
    std::vector<std::unique_ptr<shard>> retired_;
    std::vector<std::uint16_t> by_slot_;  // indices in nodes_; empty before the first map
    // By slots, whose state is `mapped` if they are not here.
    boost::unordered_flat_map<std::uint16_t, followed> redirects_;
    primary_records records_;
};

}  // namespace holdfast::engine

#endif
