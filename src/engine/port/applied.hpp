//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_APPLIED_HPP
#define HOLDFAST_ENGINE_APPLIED_HPP

#include <cstdint>
#include <string_view>

#include "engine/port/command.hpp"

namespace holdfast::engine {

enum class command_kind : std::uint8_t {
    single,  // one command of the server
    script,  // EVALSHA or EVAL
};

// Whether a command with that outcome may have changed data on the server. If so, the caller releases its token.
//
// A command of the server is atomic: after an error it has changed nothing. A script is not: Redis does not undo what
// it wrote before the call that failed. After some errors the script cannot have written: the server did not have the
// script, or accepted no command, or no write, at that time. It checks this before a script writes, not in the middle
// of it.
bool may_be_applied(command_kind, answer const&) noexcept;

// The answer to a command for which the server replied with an error. The outcome is unknown if the error came from the
// middle of a script, after which the command can be neither repeated nor taken for refused.
answer answer_to_error(core::instant sent, std::string_view words) noexcept;

}  // namespace holdfast::engine

#endif
