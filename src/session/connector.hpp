//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CONNECTOR_HPP
#define HOLDFAST_SESSION_CONNECTOR_HPP

#include <memory>
#include <string>
#include <string_view>

#include "session/connection.hpp"
#include "session/greeting.hpp"
#include "session/master_view.hpp"

namespace holdfast::session {

// Makes the connections of one session: all to one server, or to the seeds of a cluster in turn. The session owns it.
class connector {
public:
    virtual ~connector() = default;

    // Starts to establish a connection. The pointer is weak, because the session owns its connection: the connection
    // calls the events only as long as they exist. The session sends the greeting.
    virtual std::shared_ptr<connection> connect(std::weak_ptr<connection_events>) = 0;
    // The name of the server in log lines, without secrets.
    virtual std::string server_name() const = 0;

    // The current connection leads to a node of a cluster, which has told the slots of the nodes. Gives each node
    // without a host that of the connection.
    virtual void on_slots(core::cluster_map&) {}
    // With sentinels: the next connection leads to that master.
    virtual void on_master(master_address const&) {}
    // The server of the current connection is a replica: if the name of the server has several addresses, the next
    // connection leads to another one.
    virtual void on_read_only() {}
    // The host of the current connection, for a MOVED or ASK that names none.
    virtual std::string_view host() const { return {}; }
};

}  // namespace holdfast::session

#endif
