//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_SESSION_HPP
#define HOLDFAST_REDIS_SESSION_HPP

#include <memory>

#include <holdfast/config.hpp>

#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/port/strand.hpp"

// src/redis: the transport of a session over Boost.Redis and Boost.Asio, with TLS and URLs. It is the only folder that
// includes Boost.Redis. It includes src/session, src/engine and src/core; only src/client/session_factory.cpp includes
// it.
namespace holdfast::redis {

// Makes a session over Boost.Redis. Reads url, name, tls, credentials, lease and command_timeout of the configuration and throws
// std::invalid_argument with the name of an invalid option, without secrets.
//
// Once started, the session keeps itself alive until stop(), or until its execution context is destroyed. Like any I/O
// object it must not outlive that context.
std::shared_ptr<engine::session> make_session(engine::strand, config const&, engine::log);

}  // namespace holdfast::redis

#endif
