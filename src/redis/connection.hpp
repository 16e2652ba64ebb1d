//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CONNECTION_HPP
#define HOLDFAST_REDIS_CONNECTION_HPP

#include <memory>

#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>

#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "session/connection.hpp"

namespace holdfast::redis {

// Begins to connect. Boost.Redis could reconnect the same object, but it closes the old socket only when it opens the
// next, and a UNIX socket is out of our reach; a connection of ours closes its socket by ending.
//
// Every pending handler keeps the connection and its session alive; the connection does not keep the session. So an
// execution context that is destroyed with handlers still pending leaves nothing behind.
std::shared_ptr<session::connection> connect(
    engine::strand const&,
    boost::asio::ssl::context,
    engine::log const&,
    boost::redis::config const&,
    std::weak_ptr<session::connection_events>);

}  // namespace holdfast::redis

#endif
