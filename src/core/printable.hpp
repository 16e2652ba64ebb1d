//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_PRINTABLE_HPP
#define HOLDFAST_CORE_PRINTABLE_HPP

#include <string>
#include <string_view>

#include <boost/config.hpp>

namespace holdfast::core {

// Returns the text with each control byte written as \x and two hexadecimal digits. A lock's name, a label and an error
// text of the server may contain any byte. A newline in them would forge a line of the log, and an escape sequence
// would reach the terminal of a user. Bytes from 0x80 stay, because they may be UTF-8.
BOOST_SYMBOL_VISIBLE std::string printable(std::string_view text);

}  // namespace holdfast::core

#endif
