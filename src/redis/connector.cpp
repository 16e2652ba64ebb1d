//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/connector.hpp"

#include <utility>

#include "redis/connection_config.hpp"
#include "redis/tls.hpp"

namespace holdfast::redis {

connector::connector(
    engine::strand on,
    endpoint const& e,
    boost::asio::ssl::context tls,
    engine::log log,
    std::shared_ptr<addresses_of_host> addresses)
    : strand_(std::move(on)),
      server_name_(redacted(e)),
      host_(e.hosts.empty() ? std::string() : e.hosts.front().host),
      tls_(std::move(tls)),
      connection_config_(make_connection_config(e)),
      log_(std::move(log)),
      addresses_(std::move(addresses))
{}

// Each connection gets an owner of the TLS context of its own, because Boost.Redis takes the context by value.
std::shared_ptr<session::connection> connector::connect(std::weak_ptr<session::connection_events> events)
{
    return redis::connect(strand_, share(tls_), log_, connection_config_, addresses_, std::move(events));
}

}  // namespace holdfast::redis
