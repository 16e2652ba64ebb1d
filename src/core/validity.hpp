//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_VALIDITY_HPP
#define HOLDFAST_CORE_VALIDITY_HPP

#include <algorithm>

#include "core/clock.hpp"

namespace holdfast::core {

// The drift allowance: how much faster the server's clock may run than the client's during a lease time (1 %), and the
// precision with which Redis expires keys (2 ms).
// Source: "Distributed Locks with Redis", redis.io (CLOCK_DRIFT, and 2 ms for the precision of expiry).
constexpr duration drift(duration lease) noexcept
{
    return lease / 100 + std::chrono::milliseconds(2);
}

// The end of validity (rule 1), the same for acquires, renewals, extensions and locks of several servers. It counts
// from the instant just before the client sent the command that set the time to live, not from its reply: the server
// started the time to live at some instant between the two, and the earlier end is the safe one.
constexpr instant valid_until(instant sent, duration lease) noexcept
{
    return sent + lease - drift(lease);
}

// The client reports a loss this long before validity ends, so that the holder has time to stop its work.
constexpr duration stop_margin(duration lease) noexcept
{
    return std::clamp<duration>(lease / 50, std::chrono::milliseconds(2), std::chrono::milliseconds(100));
}

// The watchdog renews after a third of the lease time, and repeats after a sixth while a reply is missing. So one lost
// command does not lose the lease.
constexpr duration renewal_interval(duration lease) noexcept
{
    return lease / 3;
}
constexpr duration renewal_retry(duration lease) noexcept
{
    return lease / 6;
}

// How long renewals may stay without a reply before the client closes the connection, which all its locks share: a
// third of the lease time, so that the last third is left to renew on a new connection. It is never shorter than a
// server may need to fork or to run a slow script. A lease with a shorter lease time is then lost, but it does not cost
// the other locks their connection.
constexpr duration shortest_silence = std::chrono::seconds(1);
constexpr duration longest_silence(duration lease) noexcept
{
    return std::max(renewal_interval(lease), shortest_silence);
}

// When the next renewal is due. The instant is rounded down to a multiple of a step, so that the renewals of many
// grants are due together and one script renews them.
constexpr instant renewal_due(instant confirmed, duration lease) noexcept
{
    auto const step = std::max<duration>(lease / 60, std::chrono::milliseconds(1));
    auto const due = confirmed + renewal_interval(lease);
    return due - due.time_since_epoch() % step;
}

}  // namespace holdfast::core

#endif
