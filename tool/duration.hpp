//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DURATION_HPP
#define HOLDFAST_CLI_DURATION_HPP

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

// Parses "500ms", "10s", "5m", "1h" or "1.5s"; "0" needs no unit. Returns nothing for any other text, for a negative
// duration, and for more than a year.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

// The duration in the largest unit in which it is a whole number: "90s", "2h".
std::string to_text(std::chrono::milliseconds);

}  // namespace holdfast::cli

#endif
