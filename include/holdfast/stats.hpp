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
struct stats {
    histogram wait = {};         ///< from the start of an acquire to its grant
    histogram hold = {};         ///< from a grant to its release or loss
    histogram renewal_lag = {};  ///< from the send of a renewal to its confirmation
    histogram round_trip = {};   ///< from the send of a try to its reply

    std::uint64_t acquired = 0;     ///< acquires that ended with a lease
    std::uint64_t busy = 0;         ///< acquires that ended without one because somebody else held the lock
    std::uint64_t unavailable = 0;  ///< acquires that ended with errc::unavailable
    std::uint64_t lost = 0;         ///< tenures that ended by a loss
    std::uint64_t at_risk = 0;      ///< times that a renewal was overdue or failed
    std::uint64_t handed_off = 0;   ///< grants passed on inside the process, without a round trip
    std::uint64_t abandoned = 0;    ///< grants whose release was never confirmed: their keys expire

    std::uint64_t held = 0;     ///< gauge: tenures now
    std::uint64_t waiting = 0;  ///< gauge: contenders now
};

/// The last error that the client saw, in the server's words; see `client::last_failure()`.
struct failure {
    error_code code;
    std::string message;
};

}  // namespace holdfast

#endif
