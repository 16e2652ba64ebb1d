//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEGRATION_STORM_HPP
#define HOLDFAST_TEST_INTEGRATION_STORM_HPP

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::test {

// How long a test with bad input looks for a storm of connections or commands. The pauses between two attempts of a
// client grow from 50 ms to 2 s.
inline constexpr std::chrono::seconds storm_time(4);

inline bool has(std::string const& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}  // namespace holdfast::test

#endif
