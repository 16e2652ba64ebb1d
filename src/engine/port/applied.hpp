//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_APPLIED_HPP
#define HOLDFAST_ENGINE_APPLIED_HPP

#include <cstdint>

#include "engine/port/command.hpp"

namespace holdfast::engine {

enum class command_kind : std::uint8_t {
    single,  // one command of the server
    script,  // EVALSHA or EVAL
};

// Whether a command that was answered so may have changed something on the server.
//
// A command of the server is atomic: an error means that it did nothing. A script is not: what it wrote before the
// command that failed stays. Some errors are known to come before the first write: the script was not found, or the
// server took no command, or no write, at that moment, which it does not begin to do in the middle of a script.
bool may_be_applied(command_kind, answer const&) noexcept;

}  // namespace holdfast::engine

#endif
