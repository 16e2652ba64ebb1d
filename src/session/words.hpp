//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_WORDS_HPP
#define HOLDFAST_SESSION_WORDS_HPP

#include <string>
#include <string_view>

namespace holdfast::session {

// The part of an error text that may be logged or passed to users. The error for an unknown command repeats the
// arguments of the command, which may be a password or a token.
std::string_view without_arguments(std::string_view server_words) noexcept;

// Prepares a text from outside for one log line: without arguments, at most 240 bytes of it, control bytes escaped.
std::string printable(std::string_view foreign_words);

}  // namespace holdfast::session

#endif
