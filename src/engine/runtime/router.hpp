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

// Whether the shard of a node stays. A node keeps its id and its slots when its address changes: a container was
// replaced, or a wrong announcement was corrected.
enum class shard_place : std::uint8_t {
    current,      // where the last map has the node
    former,       // at a former address of the node, without an epoch
    former_open,  // at a former address of the node, with an epoch
    unused,       // at a node without slots: it has left the cluster, or is a replica now
};

enum class place_event : std::uint8_t {
    mapped,   // a map was taken
    doubted,  // the server is silent, or said CLUSTERDOWN
    closed,   // its epoch has ended, or none could be opened
};

// What follows for the shard.
enum class place_step : std::uint8_t {
    keep,
    drop,    // closes the connection; `closed` follows
    retire,  // ends its session: the next shard of the node is at the address of the last map
};

// | place       | mapped | doubted | closed |
// |-------------|--------|---------|--------|
// | current     |        |         |        |
// | former      | retire | retire  | retire |
// | former_open |        | drop    | retire |
// | unused      |        |         | retire |
//
// Where the table is empty, the shard stays. An open connection proves more than a map, which may be older: the shard
// stays until the connection fails, or the server is silent.
constexpr place_step next(shard_place p, place_event e) noexcept
{
    switch (p) {
        case shard_place::current: return place_step::keep;
        case shard_place::former: return place_step::retire;
        case shard_place::former_open:
            if (e == place_event::doubted)
                return place_step::drop;
            [[fallthrough]];
        case shard_place::unused: break;
    }
    return e == place_event::closed ? place_step::retire : place_step::keep;
}

// Which shard has the keys of each hash slot, for a client of a cluster. A client of one server has no router. The
// session to a primary is started when the first lock of one of its slots asks for its shard, so that a client with
// five locks in a cluster of a hundred primaries has at most five. A shard is at one address of one node.
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
// A node keeps its id and its slots when its address changes. next() says what becomes of its shard. The node keeps its
// number, which is the id of its shards, and the next shard is at the new address.
//
// A shard that is retired has no command under way. It lives until the next map: its last event may still be running,
// and a map arrives in an event of the first shard. The node stays: if it returns, its next session ends the last
// connection of the former one (rule 8).
//
// A slot that the new map leaves without a primary keeps the last one. redirect() gives one slot to another node at
// once, before the next map, and makes the node known if it was not. redirect_state says when it does so, and against
// which maps it stands. MOVED tells no id: if the next map says that this node is a known one at a new address, the two
// become one.
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
    // The server of that shard may be the primary of its slots no longer, or may be at another address.
    core::slot_set doubt(shard&);
    // The same, and the connection to it is lost, or could not be opened.
    core::slot_set on_closed(shard&);
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
    // The server of that slot, whether its session was started or not; `first` if the slot never had a primary.
    shard_id id_of(std::uint16_t slot) const noexcept { return shard_id{primary_of(slot)}; }
    // The present shard of that server. Null: its session is not started, or the shard was retired.
    shard* find(shard_id) noexcept;
    // The slots of which that server is the primary.
    core::slot_set slots_of(shard_id) const;
    // One slot of each node that has slots, whether its session was started or not. Before the first map: the slot 0.
    std::vector<std::uint16_t> slot_of_each() const;
    bool have_same_primary(std::uint16_t, std::uint16_t) const noexcept;
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
        core::cluster_primary primary;       // as the last map, or MOVED, has named it
        std::unique_ptr<shard> at;           // null: not started
        core::cluster_primary reached = {};  // where that shard is
        connection_id last = {};             // which the next session ends: of the last one, if there was one
    };

    // The last MOVED that the client has followed for a slot.
    struct followed {
        std::uint16_t sender;  // an index in nodes_, or no_primary
        redirect_state state;
    };

    std::uint16_t number_of(core::cluster_primary const&);
    // The first shard has no number.
    static std::uint16_t number_of(shard const& s) noexcept { return static_cast<std::uint16_t>(s.id()); }
    std::uint16_t primary_of(std::uint16_t slot) const noexcept;
    bool follow_map(std::uint16_t slot, std::uint16_t number);
    core::slot_set merge_namesakes(std::uint16_t number);
    void start(std::uint16_t number);
    bool has_slots(std::uint16_t number) const noexcept;
    shard_place place_of(std::uint16_t number) const noexcept;
    core::slot_set on(place_event, std::uint16_t number);
    void retire(node&);
    bool assign(std::uint16_t slot, std::uint16_t number);
    primary_records::node_list named_primaries() const;

    shard& first_;
    session_maker const make_session_;
    fitter const fit_;
    shard_events* events_ = nullptr;
    log const& log_;
    bool is_stopped_ = false;
    std::vector<std::unique_ptr<node>> nodes_;
    std::vector<std::unique_ptr<shard>> retired_;  // since the last map
    std::vector<std::uint16_t> by_slot_;           // indices in nodes_; empty before the first map
    // By slots, whose state is `mapped` if they are not here.
    boost::unordered_flat_map<std::uint16_t, followed> redirects_;
    primary_records records_;
};

}  // namespace holdfast::engine

#endif
