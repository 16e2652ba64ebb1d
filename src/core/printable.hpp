//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_PRINTABLE_HPP
#define HOLDFAST_CORE_PRINTABLE_HPP

#include <string>
#include <string_view>

namespace holdfast::core {

// The text as part of one line, with each control byte written as \x and two digits. The name of a lock, a label and a
// server's words may contain any byte, and must neither begin a line of their own nor steer a terminal.
std::string printable(std::string_view text);

}  // namespace holdfast::core

#endif
