//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_STATS_HPP
#define HOLDFAST_STATS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <holdfast/error.hpp>
#include <holdfast/lock_kind.hpp>

namespace holdfast {

/// A distribution of durations. Bucket 0 counts those below 1 microsecond, bucket `i` those of at least `2^(i-1)` and
/// less than `2^i` microseconds, and the last bucket all longer ones.
struct histogram {
    /// The number of buckets.
    static constexpr std::size_t bucket_count = 40;

    std::uint64_t count = 0;                  ///< of all durations
    std::chrono::nanoseconds sum{};           ///< of all durations
    std::vector<std::uint64_t> buckets = {};  ///< `bucket_count` numbers in what `client::stats()` returns
};

/// Leases that were lost, by the reason; see @ref loss.
struct loss_counts {
    std::uint64_t expired = 0;         ///< the validity ended before a renewal was confirmed, or a fixed lease ended
    std::uint64_t key_missing = 0;     ///< the key was missing, or had another token
    std::uint64_t max_hold = 0;        ///< held for `max_hold`
    std::uint64_t client_stopped = 0;  ///< the client was stopped or destroyed
};

/// The counters of locks; the same for one part of a client's locks (@ref stats_part) and for all (@ref stats).
///
/// @par Acquires
/// Each `acquire()`, `try_acquire()`, `with_lock()`, `campaign()` and `lead()` that reaches the client counts once, in
/// `acquired`, `busy`, `unavailable`, `cancelled` or `failed`; until then in `waiting`. A candidate that leaves the
/// queue because its health predicate returned false counts as cancelled, and as another acquire when it stands again.
/// An acquire of a @ref multi_lock or @ref red_lock counts as one, whatever its members do, at the client of the first
/// member that is not stopped. An acquire with an invalid option or name, or of a client that was destroyed, does not
/// reach a client. A `downgrade()` does not count.
struct lock_stats {
    histogram wait = {};         ///< from the start of an acquire to its lease, of those that ended with one
    histogram hold = {};         ///< from a lease to its release or loss; of a composite lock, to its release
    histogram renewal_lag = {};  ///< from the send of a renewal to its confirmation
    histogram round_trip = {};   ///< from the send of an attempt to its reply

    std::uint64_t acquired = 0;     ///< acquires that ended with a lease
    std::uint64_t busy = 0;         ///< acquires that ended without a lease, because the lock was busy
    std::uint64_t unavailable = 0;  ///< acquires that ended with errc::unavailable or errc::no_quorum
    std::uint64_t cancelled = 0;    ///< acquires that were cancelled
    std::uint64_t failed = 0;       ///< acquires that ended with any other error
    std::uint64_t lost = 0;         ///< leases of single locks that were lost, also as members of a composite lock
    loss_counts lost_by = {};       ///< the leases of `lost`, by the reason
    std::uint64_t at_risk = 0;      ///< how often a renewal of such a lease was overdue or failed
    std::uint64_t handed_off = 0;   ///< grants that passed to another contender of the process without a round trip
    std::uint64_t refused = 0;      ///< commands that the server refused, as observer::on_refused() reports them

    /// Grants and renewals that did not count, because too few replicas acknowledged them (`config::acknowledged_by`).
    std::uint64_t unacknowledged = 0;

    /// How often a semaphore had another number of permits than the options of a handle; each number counts once.
    std::uint64_t permits_differ = 0;

    std::uint64_t held = 0;     ///< gauge: leases now; each re-entry has one of its own
    std::uint64_t waiting = 0;  ///< gauge: acquires now
};

/// The counters of a client's locks of one kind and one label. It exists once there was a handle of such a lock, of a
/// composite lock an acquire. The members of a composite lock count in the part of their own kind what they count at
/// all: attempts, renewals, losses, refused commands.
struct stats_part : lock_stats {
    lock_kind kind = lock_kind::mutex;  ///< of the locks
    std::string label = {};             ///< that `config::stats_label` yields for their names; not that of an owner
};

/// The counters of a client since its construction; see `client::stats()`. Each number is exact. Two numbers may differ
/// by operations that completed while they were read. Each number of @ref lock_stats is exactly the sum of those of
/// `parts`, except for `refused`, which also has the queries that concern no lock.
struct stats : lock_stats {
    std::uint64_t abandoned = 0;    ///< leases that were not released when the client stopped: their keys expire
    std::uint64_t connections = 0;  ///< connections to servers that could be used, each reconnection is one
    std::uint64_t connected = 0;    ///< gauge: servers that are connected now; 0 or 1, except in a Redis Cluster

    std::vector<stats_part> parts = {};  ///< by label, then by kind; "other" comes last
};

/// The last error of a client; see `client::last_failure()`.
struct failure {
    error_code code;      ///< of the operation
    std::string message;  ///< the server's error message, or the reason; without control bytes
};

}  // namespace holdfast

#endif
