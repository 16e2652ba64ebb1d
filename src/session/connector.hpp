//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_CONNECTOR_HPP
#define HOLDFAST_SESSION_CONNECTOR_HPP

#include <memory>
#include <string>

#include "session/connection.hpp"
#include "session/greeting.hpp"

namespace holdfast::session {

// Makes the connections of one session, all to one server. The session owns it.
class connector {
public:
    virtual ~connector() = default;

    // Starts to establish a connection. The pointer is weak, because the session owns its connection: the connection
    // calls the events only as long as they exist. The session sends the greeting; the login is for a transport that
    // must authenticate before it (Sentinel), and valid during the call.
    virtual std::shared_ptr<connection> connect(std::weak_ptr<connection_events>, client_login const&) = 0;
    // The name of the server in log lines, without secrets.
    virtual std::string server_name() const = 0;
};

}  // namespace holdfast::session

#endif
