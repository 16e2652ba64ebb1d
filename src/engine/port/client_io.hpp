//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CLIENT_IO_HPP
#define HOLDFAST_ENGINE_CLIENT_IO_HPP

#include <memory>

#include "engine/port/session.hpp"
#include "engine/port/world.hpp"

namespace holdfast::engine {

// What a transport makes for one client: all that the engine uses of the system.
struct client_io {
    std::shared_ptr<engine::world> world;
    std::shared_ptr<engine::session> session;  // to the server of the URL
};

}  // namespace holdfast::engine

#endif
