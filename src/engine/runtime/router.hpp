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
#include <vector>

#include "core/cluster_map.hpp"
#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/runtime/shard.hpp"

namespace holdfast::engine {

// Which shard has the keys of each hash slot, for a client of a cluster. A client of one server has no router. The
// session to a primary is started when the first lock of one of its slots asks for its shard, so that a client with five
// locks in a cluster of a hundred primaries has at most five. A shard is at one node, and lives as long as the router,
// because locks and commands refer to it.
//
// | state   | take()                      | of()                                  | find()            | stop()  |
// |---------|-----------------------------|---------------------------------------|-------------------|---------|
// | empty   | routed                      | the first shard                       | the first shard   | stopped |
// | routed  | routed: the new map counts, | the shard of the primary, started now | the same, but     | stopped |
// |         | shards of known nodes stay  | if it was not; the first shard if the | null if it is not |         |
// |         |                             | slot has no primary                   | started           |         |
// | stopped | stopped: ignored            | the shard if it was started, else the | as before         | stopped |
// |         |                             | first shard                           |                   |         |
//
// The first shard is at the seeds. It belongs to the caller: the locks of a slot without a known primary are at it, and
// wait there. A map without slots, or of other nodes, is the caller's to refuse. On the strand.
class router {
public:
    // Makes a session to that node, which is not started yet.
    using session_maker = std::function<std::shared_ptr<session>(core::cluster_primary const&)>;

    // The first shard, the events and the log must outlive the router.
    router(shard& first, session_maker, shard_events&, log const&);
    router(router const&) = delete;
    router& operator=(router const&) = delete;

    void take(core::cluster_map const&);
    shard& of(std::uint16_t slot);
    shard* find(std::uint16_t slot) noexcept;
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
    };

    std::uint16_t number_of(core::cluster_primary const&);
    void start(node&);

    shard& first_;
    session_maker const make_session_;
    shard_events& events_;
    log const& log_;
    bool is_stopped_ = false;
    std::vector<std::unique_ptr<node>> nodes_;
    std::vector<std::uint16_t> by_slot_;  // indices in nodes_; empty before the first map
};

}  // namespace holdfast::engine

#endif
