//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CLIENT_IO_HPP
#define HOLDFAST_ENGINE_CLIENT_IO_HPP

#include <chrono>
#include <functional>
#include <memory>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "engine/port/session.hpp"
#include "engine/port/world.hpp"

namespace holdfast::engine {

// Makes a session to a primary of a cluster, which is not started yet.
using session_maker = std::function<std::shared_ptr<session>(core::cluster_primary const&)>;

// How much longer a command of a second session may take than others: WAIT does nothing for 500 ms at most, and the
// server ends it up to 100 ms late.
inline constexpr core::duration longest_question = std::chrono::milliseconds(600);

// What a transport makes for one client: all that the engine uses of the system.
struct client_io {
    std::shared_ptr<engine::world> world;
    std::shared_ptr<engine::session> session;  // to the server of the URL, or to the seeds of a cluster
    session_maker open_node = {};              // empty: the client has one server
    // Makes a second session to that primary; to the only server, whatever primary it is given. Empty: there is none.
    session_maker open_second = {};
};

}  // namespace holdfast::engine

#endif
