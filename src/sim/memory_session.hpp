//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_MEMORY_SESSION_HPP
#define HOLDFAST_TESTING_MEMORY_SESSION_HPP

#include <memory>

#include <holdfast/config.hpp>

#include "engine/port/log.hpp"
#include "engine/port/session.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::simulated {

// The session for memory:// and memory://NAME. Throws std::invalid_argument if config.url is neither, or if the
// library was built without HOLDFAST_MEMORY.
std::shared_ptr<engine::session> make_memory_session(engine::strand, config const&, engine::log);

}  // namespace holdfast::simulated

#endif
