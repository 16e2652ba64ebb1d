//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_STATS_HPP
#define HOLDFAST_STATS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <holdfast/error.hpp>

namespace holdfast {

/// How many durations fell where. Bucket 0 counts those below 1 microsecond, bucket `i` those of at least `2^(i-1)` and
/// less than `2^i` microseconds, and the last one all that are longer.
struct histogram {
    static constexpr std::size_t bucket_count = 40;

    std::uint64_t count = 0;
    std::vector<std::uint64_t> buckets = {};
};

/// A snapshot of a client's counters since its construction; see `client::stats()`. Each number is exact; numbers
/// taken together may be apart by operations that ended meanwhile.
///
/// @par What counts as an acquire
/// Each `acquire()`, `try_acquire()` and `with_lock()` that reached the client ends in exactly one of `acquired`, `busy`,
/// `unavailable`, `cancelled` and `failed`; until then it is `waiting`. One of a @ref multi_lock or @ref red_lock is one,
/// whatever it takes of its members meanwhile, and counts at the client of the first member that has not stopped. An
/// acquire with an option or a name that is not valid, and one of a client that is gone, does not reach the client.
/// A `downgrade()` is no acquire.
struct stats {
    histogram wait = {};         ///< from the start of an acquire to its lease, of those that got one
    histogram hold = {};         ///< from a lease to its release or loss; of a composite lock, to its release
    histogram renewal_lag = {};  ///< from the send of a renewal to its confirmation
    histogram round_trip = {};   ///< from the send of a try to its reply

    std::uint64_t acquired = 0;     ///< acquires that ended with a lease
    std::uint64_t busy = 0;         ///< acquires that ended without one because somebody else held the lock
    std::uint64_t unavailable = 0;  ///< acquires that ended with errc::unavailable or errc::no_quorum
    std::uint64_t cancelled = 0;    ///< acquires that were cancelled
    std::uint64_t failed = 0;       ///< acquires that ended with any other error
    std::uint64_t lost = 0;         ///< leases of single locks that were lost, also as members of a composite lock
    std::uint64_t at_risk = 0;      ///< times that a renewal of such a lease was overdue or failed
    std::uint64_t handed_off = 0;   ///< grants passed on inside the process, without a round trip
    std::uint64_t abandoned = 0;    ///< grants whose release was never confirmed: their keys expire

    std::uint64_t held = 0;     ///< gauge: leases now; each re-entry has one of its own
    std::uint64_t waiting = 0;  ///< gauge: acquires now
};

/// The last error that the client saw, in the server's words; see `client::last_failure()`.
struct failure {
    error_code code;
    std::string message;
};

}  // namespace holdfast

#endif
