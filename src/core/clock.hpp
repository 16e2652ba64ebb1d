//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_CLOCK_HPP
#define HOLDFAST_CORE_CLOCK_HPP

#include <chrono>
#include <cstdint>

namespace holdfast::core {

// The time base of every deadline: it goes on while the host sleeps (CLOCK_BOOTTIME where there is one).
// It deliberately has no now(): only a session reads time, so nothing in core or engine can do so by accident.
struct clock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;
};

using instant = clock::time_point;
using duration = clock::duration;

inline constexpr instant never = instant::max();

}  // namespace holdfast::core

#endif
