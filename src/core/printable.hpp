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

// Returns the text as UTF-8 with escapes. Each byte of a control (C0, DEL, C1) and each byte that is not UTF-8 becomes \x
// and two hexadecimal digits. Characters that are invisible, that separate lines or that change the direction of the text
// become \u{...}. All others stay. A lock's name, a label and an error text of the server may contain any byte. A newline
// in them would forge a line of the log, an escape sequence would reach the terminal of a user, and with a mark of
// direction one name could look like another.
BOOST_SYMBOL_VISIBLE std::string printable(std::string_view text);

}  // namespace holdfast::core

#endif
