//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SERVER_IDENTITY_HPP
#define HOLDFAST_ENGINE_SERVER_IDENTITY_HPP

#include <cstdint>

#include <boost/static_string/static_string.hpp>

#include "core/clock.hpp"
#include "engine/port/message_form.hpp"

namespace holdfast::engine {

// Whether the server has hash slots: it refuses a command with keys of several slots (CROSSSLOT).
enum class slot_coverage : std::uint8_t {
    no_slots,     // not in cluster mode
    unconfirmed,  // in cluster mode, but it did not say which slots it has: the access rules deny CLUSTER SLOTS
    some,         // a node of a cluster of several primaries
    all,          // the only primary of its cluster
};

// The server of an epoch, as its HELLO and INFO describe it. It is not known where the access rules deny INFO. A
// restarted server closes its connections, so it is always the server of another epoch.
struct server_identity {
    // Redis has 40 characters. Without an allocation, because client_state copies it for other threads.
    using run_id_type = boost::static_string<64>;

    run_id_type run_id = {};                    // new at each start of the server; empty: not known
    core::instant running_since = core::never;  // the latest possible start; never: not known
    slot_coverage slots = slot_coverage::no_slots;
    message_form messages = message_form::plain;

    bool has_hash_slots() const noexcept { return slots != slot_coverage::no_slots; }

    // Whether both describe the same run of the same server. False if it is not known.
    bool is_same_server(server_identity const& other) const noexcept
    {
        return !run_id.empty() && run_id == other.run_id;
    }
};

// Identifies a connection on its server. A restarted server numbers its connections from 1 again, so the number alone
// may be that of another client's connection, which a CLIENT KILL would end.
struct connection_id {
    std::uint64_t number = 0;
    server_identity server;  // empty: the access rules deny INFO

    // Whether they are two different connections to the same run of one server, so that the server may still read from
    // the other one.
    bool is_beside(connection_id const& other) const noexcept
    {
        return server.is_same_server(other.server) && number != other.number && other.number != 0;
    }
};

}  // namespace holdfast::engine

#endif
