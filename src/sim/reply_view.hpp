//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REPLY_VIEW_HPP
#define HOLDFAST_TESTING_REPLY_VIEW_HPP

#include "session/connection.hpp"
#include "sim/value.hpp"

namespace holdfast::simulated {

// Passes a reply to a session, as an event of its connection. The event refers to the strings of the value. Used by the
// connections of this folder and of the simulator in the tests.
void deliver(session::connection_events&, value const& reply);

// Passes a push to a session. Confirmations of plain subscriptions are dropped, because the guard of the session
// confirms them (rule 10).
void deliver_push(session::connection_events&, value const& push);

}  // namespace holdfast::simulated

#endif
