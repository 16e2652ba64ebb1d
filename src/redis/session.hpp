//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_SESSION_HPP
#define HOLDFAST_REDIS_SESSION_HPP

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"
#include "redis/connection.hpp"

// src/redis: the transport of a session over Boost.Redis and Boost.Asio, with TLS and URLs. It is the only folder that
// includes Boost.Redis. It includes src/session, src/engine and src/core; only src/client/session_factory.cpp includes
// it.
namespace holdfast::redis {

// Makes the world of a client, and a session over Boost.Redis. Reads url, name, tls, credentials, lease and
// command_timeout of the configuration and throws std::invalid_argument with the name of an invalid option, without
// secrets.
//
// Once started, the session keeps itself and the world alive until stop(), or until its execution context is destroyed.
// Like any I/O object they must not outlive that context.
engine::client_io make_io(engine::strand, config const&, engine::log, name_lookup = look_up);

}  // namespace holdfast::redis

#endif
