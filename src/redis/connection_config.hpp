//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CONNECTION_CONFIG_HPP
#define HOLDFAST_REDIS_CONNECTION_CONFIG_HPP

#include <chrono>
#include <string_view>

#include <boost/redis/config.hpp>

#include <holdfast/config.hpp>

#include "redis/url.hpp"

namespace holdfast::redis {

// How Boost.Redis is to make one connection.
boost::redis::config make_connection_config(endpoint const&, std::string_view client_name, holdfast::config const&);

// The longest that opening a connection may take, from the look-up of the name to the reply to our greeting.
inline constexpr std::chrono::seconds opening_limit{10};

}  // namespace holdfast::redis

#endif
