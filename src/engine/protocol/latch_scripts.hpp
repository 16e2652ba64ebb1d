//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LATCH_SCRIPTS_HPP
#define HOLDFAST_ENGINE_LATCH_SCRIPTS_HPP

#include <string_view>

#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

// Submit the scripts of a latch, which is no lock: its description has the key of the count, as companions the keys of
// the generation and of the steps, and the channel. The replies are those that the scripts describe. Numbers are in
// decimal. Precondition: the session is open.
void set_latch(session&, command&, lock_spec const&, std::string_view count, script_form);
void remove_latch(session&, command&, lock_spec const&, script_form);
void count_down_latch(session&, command&, lock_spec const&, std::string_view step, std::string_view by, script_form);
void read_latch(session&, command&, lock_spec const&, script_form);

}  // namespace holdfast::engine

#endif
