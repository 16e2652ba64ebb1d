//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DENIAL_HPP
#define HOLDFAST_CLI_DENIAL_HPP

#include <string_view>

#include "operations/command_query.hpp"

namespace holdfast::cli {

// Whether an error reply means that the access rules deny a command, a key or a channel, also to a script.
bool is_denial(std::string_view server_words);

// Whether the reply is the refusal of a script as such: EVAL is denied, or the key that it names.
bool denies_scripts(detail::command_reply const&);

}  // namespace holdfast::cli

#endif
