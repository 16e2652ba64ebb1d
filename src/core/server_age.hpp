//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_SERVER_AGE_HPP
#define HOLDFAST_CORE_SERVER_AGE_HPP

#include <algorithm>

#include "core/clock.hpp"
#include "core/validity.hpp"

namespace holdfast::core {

// The latest instant at which a server can have started that reported `uptime` in a reply received then. Redis
// subtracts two clock readings that are each cut to whole seconds: a server that runs for 1.1 s may report two seconds,
// so the true uptime may be up to a second less than the reported one.
constexpr instant latest_start(std::chrono::seconds uptime, instant received) noexcept
{
    constexpr std::chrono::seconds uncertainty(1);
    constexpr std::chrono::seconds enough = std::chrono::hours(24 * 365 * 100);  // in nanoseconds it still fits
    return received - std::clamp(uptime - uncertainty, std::chrono::seconds(0), enough);
}

// Whether every lease that the server may have forgotten when it started has ended by `asked`. Leases are at most
// `max_lease` long; the clock that measures the age may run faster than the holder's by the drift allowance.
constexpr bool has_outlived_leases(instant latest_start, duration max_lease, instant asked) noexcept
{
    return asked - latest_start >= max_lease + drift(max_lease);
}

}  // namespace holdfast::core

#endif
