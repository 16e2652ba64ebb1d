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

// Starts to establish one connection over Boost.Redis. It is used for one epoch and never reconnects. Boost.Redis could
// reconnect the same object, but it closes the old socket only when it opens the next one, and gives no access to a
// UNIX socket; an object of its own for each epoch closes its socket when it ends.
//
// Lifetimes: each pending handler keeps the connection and its session alive; the connection itself does not own the
// session, which owns it. So an execution context that is destroyed with pending handlers frees both.
std::shared_ptr<session::connection> connect(
    engine::strand const&,
    boost::asio::ssl::context,
    engine::log const&,
    boost::redis::config const&,
    std::weak_ptr<session::connection_events>);

}  // namespace holdfast::redis

#endif
