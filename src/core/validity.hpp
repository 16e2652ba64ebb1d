//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_VALIDITY_HPP
#define HOLDFAST_CORE_VALIDITY_HPP

#include <algorithm>

#include "core/clock.hpp"

namespace holdfast::core {

// How far the server's clock may run away from ours during a lease, and the granularity of its expiry.
// Source: "Distributed Locks with Redis", redis.io (CLOCK_DRIFT, and 2 ms for the precision of expiry).
constexpr duration drift(duration lease) noexcept
{
    return lease / 100 + std::chrono::milliseconds(2);
}

// The one rule of validity, for acquire, renew, extend, multi and red: counted from just before the send of the very
// attempt whose reply confirmed a time to live that it set.
constexpr instant valid_until(instant sent, duration lease) noexcept
{
    return sent + lease - drift(lease);
}

// Loss is told this long before validity ends, so that the holder has time to stop.
constexpr duration stop_margin(duration lease) noexcept
{
    return std::clamp<duration>(lease / 50, std::chrono::milliseconds(2), std::chrono::milliseconds(100));
}

// The watchdog asks again every third of the lease, and every sixth while an answer is missing.
constexpr duration renewal_interval(duration lease) noexcept
{
    return lease / 3;
}
constexpr duration renewal_retry(duration lease) noexcept
{
    return lease / 6;
}

// How long a renewal may stay unanswered before the client closes the connection, which all its locks share: a third of
// the lease, so that another third is left to renew it on a new connection. But no less than what a server may need
// that forks or runs a slow script: a lease so short that this is too long is lost alone.
constexpr duration shortest_silence = std::chrono::seconds(1);
constexpr duration longest_silence(duration lease) noexcept
{
    return std::max(renewal_interval(lease), shortest_silence);
}

// Renewals are due at whole steps of a clock of their own, so that those of many grants fall together into a batch.
constexpr instant renewal_due(instant confirmed, duration lease) noexcept
{
    auto const step = std::max<duration>(lease / 60, std::chrono::milliseconds(1));
    auto const due = confirmed + renewal_interval(lease);
    return due - due.time_since_epoch() % step;
}

}  // namespace holdfast::core

#endif
