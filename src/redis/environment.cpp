//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/environment.hpp"

#include <cstring>
#include <utility>

#include "redis/connection.hpp"
#include "redis/connection_config.hpp"
#include "redis/tls.hpp"

namespace holdfast::redis {
namespace {

// Seeds from the operating system, so that clients that start at the same time have different jitter.
std::uint64_t random_seed()
{
    std::uint64_t seed;
    auto const bytes = random_bytes();
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return seed;
}

}  // namespace

environment::environment(
    engine::strand on,
    endpoint const& e,
    boost::asio::ssl::context tls,
    config const& options,
    engine::log log,
    std::weak_ptr<session::clock_events> clock)
    : strand_(std::move(on)),
      server_name_(redacted(e)),
      tls_(std::move(tls)),
      connection_config_(make_connection_config(e, options)),
      log_(std::move(log)),
      jitter_(random_seed()),
      alarm_(std::make_shared<alarm>(strand_, std::move(clock)))
{}

// Each connection gets an owner of the TLS context of its own, because Boost.Redis takes the context by value.
std::shared_ptr<session::connection> environment::connect(
    std::weak_ptr<session::connection_events> events, session::client_login const& login)
{
    auto const how = with_login(connection_config_, login);
    return redis::connect(strand_, share(tls_), log_, how, std::move(events));
}

}  // namespace holdfast::redis
