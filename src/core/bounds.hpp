//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_BOUNDS_HPP
#define HOLDFAST_CORE_BOUNDS_HPP

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/clock.hpp"

namespace holdfast::core {

// The longest duration that the library computes with: ten years. Every duration that a user or a server passes in is
// limited to it where it enters, while it is still in milliseconds. milliseconds::max() would overflow when it is
// converted to nanoseconds or added to an instant; the sum of an instant and several durations of ten years does not.
inline constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 3650);

constexpr std::chrono::milliseconds bounded(std::chrono::milliseconds d) noexcept
{
    return std::clamp(d, -longest, longest);
}

constexpr std::optional<std::chrono::milliseconds> bounded(std::optional<std::chrono::milliseconds> d) noexcept
{
    return d ? std::optional(bounded(*d)) : std::nullopt;
}

}  // namespace holdfast::core

#endif
