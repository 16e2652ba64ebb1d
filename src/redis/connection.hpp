//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CONNECTION_HPP
#define HOLDFAST_REDIS_CONNECTION_HPP

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>
#include <boost/system/error_code.hpp>

#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "redis/address_choice.hpp"
#include "session/connection.hpp"

namespace holdfast::redis {

using resolver = boost::asio::ip::basic_resolver<boost::asio::ip::tcp, engine::strand>;
using take_addresses = std::function<void(boost::system::error_code, std::vector<std::string>)>;
// Finds the addresses of a host with the resolver, whose cancel() ends it. Completes on the strand of the resolver.
using name_lookup = std::function<void(resolver&, std::string const& host, take_addresses)>;
void look_up(resolver&, std::string const& host, take_addresses);

// What the connections to one host have in common. The connector and its connections live on one strand.
struct addresses_of_host {
    name_lookup look_up;
    address_choice choice = {};
    // The addresses that these connections follow; null: none.
    std::shared_ptr<addresses_of_host const> leader = {};
};

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
    std::shared_ptr<addresses_of_host>,
    std::weak_ptr<session::connection_events>);

}  // namespace holdfast::redis

#endif
