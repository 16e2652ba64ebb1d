//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_CONNECTION_CONFIG_HPP
#define HOLDFAST_REDIS_CONNECTION_CONFIG_HPP

#include <string>

#include <boost/redis/config.hpp>

#include "redis/url.hpp"
#include "session/greeting.hpp"

namespace holdfast::redis {

// The configuration with which Boost.Redis establishes one connection, without reconnecting.
boost::redis::config make_connection_config(endpoint const&);

// The login with the credentials of the URL.
session::client_login login_of(endpoint const&, std::string const& client_name);
// That of the sentinels.
session::client_login sentinel_login_of(endpoint const&, std::string const& client_name);

}  // namespace holdfast::redis

#endif
