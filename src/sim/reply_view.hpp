//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REPLY_VIEW_HPP
#define HOLDFAST_TESTING_REPLY_VIEW_HPP

#include "session/connection.hpp"
#include "sim/value.hpp"

namespace holdfast::simulated {

// Tells a session what its server replied.
void deliver(session::connection_events&, value const& reply);

// The same of a push. What is no message of a channel is dropped.
void deliver_push(session::connection_events&, value const& push);

}  // namespace holdfast::simulated

#endif
