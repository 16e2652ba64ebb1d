//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_CLOCK_HPP
#define HOLDFAST_CORE_CLOCK_HPP

#include <chrono>
#include <cstdint>

// src/core: pure functions and small types, such as validity, backoff, deadlines, budgets, names and tokens. The folder
// includes only itself, the standard library and the containers of Boost: no Asio, no Redis, no public header.
namespace holdfast::core {

// The clock of all deadlines. It continues while the host sleeps (CLOCK_BOOTTIME), so that a lease which ran out during
// a suspend counts as expired (rule 2). It has no now(): only a session reads the time, so code in core and engine
// cannot read it by accident, and the simulator replaces it.
struct clock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;
};

using instant = clock::time_point;
using duration = clock::duration;

// Later than every other instant. Adding a duration to it overflows.
inline constexpr instant never = instant::max();

}  // namespace holdfast::core

#endif
