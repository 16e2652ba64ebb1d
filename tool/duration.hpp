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

// "500ms", "10s", "5m", "1h", "1.5s"; "0" needs no unit. Nothing for everything else, and for more than a year.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

// In the largest unit that divides it.
std::string to_text(std::chrono::milliseconds);

}  // namespace holdfast::cli

#endif
