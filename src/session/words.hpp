//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_WORDS_HPP
#define HOLDFAST_SESSION_WORDS_HPP

#include <string>
#include <string_view>

namespace holdfast::session {

// The part of an error reply that is safe to pass on: to an unknown command the server answers with its arguments,
// which may be a password or a token.
std::string_view without_arguments(std::string_view server_words) noexcept;

// Foreign text made fit for one log line: cut to a readable length, control bytes escaped, no arguments.
std::string printable(std::string_view foreign_words);

}  // namespace holdfast::session

#endif
