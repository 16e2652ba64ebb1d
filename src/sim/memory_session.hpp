//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_MEMORY_SESSION_HPP
#define HOLDFAST_TESTING_MEMORY_SESSION_HPP

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"

// src/sim: the transport of a session to a server in memory, for memory:// URLs and for the simulator of the tests: a
// model of Redis 7.0 that runs the real Lua scripts. The folder includes itself, src/session, src/engine, src/core, the
// vocabulary of the public headers and <holdfast/testing/server.hpp>. It is the library holdfast::testing; no other
// folder includes it.
namespace holdfast::simulated {

// Makes the world and the session for memory:// and memory://NAME. Throws std::invalid_argument if config.url is
// another one. Thread-safe.
engine::client_io make_memory_io(engine::strand, config const&, engine::log);

// Makes that function the transport of memory:// URLs. A static initialiser calls it, in the same object file. The
// linker takes an object file of a static library only if the program refers to one of its symbols, and a program that
// uses only URLs does not; so the CMake target adds a reference (-u) to this one. Idempotent, thread-safe.
extern "C" void holdfast_serve_memory_urls() noexcept;

}  // namespace holdfast::simulated

#endif
