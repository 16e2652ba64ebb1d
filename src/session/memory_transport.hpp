//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MEMORY_TRANSPORT_HPP
#define HOLDFAST_MEMORY_TRANSPORT_HPP

#include <atomic>

#include <boost/config.hpp>

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::session {

// Makes the world and the session for a memory:// URL. Throws std::invalid_argument if config.url is invalid.
// Thread-safe.
using memory_io_maker = engine::client_io (*)(engine::strand, config const&, engine::log);

// The transport of memory:// URLs; null in a program that is not linked with holdfast::testing. That library contains
// src/sim and sets this variable, so that holdfast::holdfast refers neither to src/sim nor to Lua.
extern BOOST_SYMBOL_VISIBLE std::atomic<memory_io_maker> memory_transport;

}  // namespace holdfast::session

#endif
