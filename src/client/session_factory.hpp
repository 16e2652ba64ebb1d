//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_FACTORY_HPP
#define HOLDFAST_SESSION_FACTORY_HPP

#include <holdfast/config.hpp>

#include "engine/port/client_io.hpp"
#include "engine/port/log.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::detail {

// Makes the world and the session for the URL's scheme: memory:// is a server in this process, if the program is linked
// with holdfast::testing; all others are Redis. Throws std::invalid_argument with the name of the invalid option. Its
// source is the only one that names the transports: every other file knows engine::world and engine::session only.
engine::client_io make_io(engine::strand, config const&, engine::log);

}  // namespace holdfast::detail

#endif
