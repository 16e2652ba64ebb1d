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

// Returns the latest instant at which a server can have started, if a reply received at `received` reports `uptime`.
// Redis subtracts two clock readings, each truncated to whole seconds: a server that has run for 1.1 s may report two
// seconds, so the real uptime may be up to one second shorter than the reported one. The error must be on the safe
// side: if a red_lock counted a restarted server too early, a second holder could acquire the lock. A server whose wall
// clock was set back reports a negative uptime; it counts as just started.
constexpr instant latest_start(std::chrono::seconds uptime, instant received) noexcept
{
    constexpr std::chrono::seconds uncertainty(1);
    constexpr std::chrono::seconds enough = std::chrono::hours(24 * 365 * 100);  // in nanoseconds it still fits
    return received - std::clamp(uptime - uncertainty, std::chrono::seconds(0), enough);
}

// Whether every lease that the server may have lost when it started has ended by the instant `at`. No lease time is
// longer than `max_lease`. The clock that measures the age may run faster than the clock of a holder, by the drift
// allowance at most.
constexpr bool has_outlived_leases(instant latest_start, duration max_lease, instant at) noexcept
{
    return at - latest_start >= max_lease + drift(max_lease);
}

}  // namespace holdfast::core

#endif
