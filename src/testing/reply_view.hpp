//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REPLY_VIEW_HPP
#define HOLDFAST_TESTING_REPLY_VIEW_HPP

#include "engine/command.hpp"
#include "testing/value.hpp"

namespace holdfast::simulated {

// Answers a command with what the server said.
void deliver(engine::command&, core::instant sent, value const&);

}  // namespace holdfast::simulated

#endif
