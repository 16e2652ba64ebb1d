//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_DISPLAY_TEXT_HPP
#define HOLDFAST_CLI_DASHBOARD_DISPLAY_TEXT_HPP

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli::dashboard {

// Returns the bytes as UTF-8 that a page can show, as core::printable() does. Markup stays: the page inserts text, not
// HTML.
std::string display_text(std::string_view bytes);

// The bytes in hexadecimal digits: the identity of a lock for the page, because display_text() is not reversible.
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view digits);

}  // namespace holdfast::cli::dashboard

#endif
