//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPTIONS_HPP
#define HOLDFAST_OPTIONS_HPP

#include <chrono>
#include <optional>
#include <type_traits>

namespace holdfast {

// Durations of more than ten years, here and in all options, count as ten years.

/// How `acquire()` takes a lock. Without a `lease` the lease is `config::lease`, renewed by the watchdog.
struct acquire_options {
    /// How long the grant lasts on the server, at least 100 ms. Given alone: fixed, never renewed.
    std::optional<std::chrono::milliseconds> lease = {};

    /// Renews a given `lease` too.
    bool renew = false;

    /// The lease is lost when it was held for so long, renewed or not; 0: never. Default: `config::max_hold`. A re-entry
    /// has a limit of its own, and leaves that of the outer lease as it is.
    std::optional<std::chrono::milliseconds> max_hold = {};
};

/// How `try_acquire()` takes a lock.
struct try_options {
    /// How long to wait for it. Default: one attempt. Must not be negative; 0: one attempt. `milliseconds::max()`: as long
    /// as it takes.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};
};

/// How `acquire()` takes a fair lock.
struct fair_acquire_options {
    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// 1 to 10: a waiter is served before those of lower priority that came earlier, within the bound of
    /// @ref fair_lock.
    int priority = 5;
};

/// How `try_acquire()` takes a fair lock.
struct fair_try_options {
    /// As in @ref try_options. One attempt passes nobody who waits.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref fair_acquire_options.
    int priority = 5;
};

/// Options of a lock's handle.
struct lock_options {
    /// Every grant carries a fencing token, greater than all earlier ones of the lock (see docs/fencing.md). Costs a
    /// script instead of a plain command, and hand-off inside the process: every grant comes from the server.
    /// All handles of one lock should agree: a re-entry has the token of the grant that it enters, or none.
    bool fencing = false;
};

/// Who goes first at a @ref read_write_lock; its header says what that means, and how long each side waits at most.
enum class preference {
    arrival,  ///< in turns: whoever waits comes next
    readers,  ///< writers wait until nobody reads
    writers,  ///< readers wait until nobody waits to write
};

/// Options of a @ref read_write_lock. All handles of one lock should be given the same.
struct rw_options {
    /// Every write carries a fencing token, as in @ref lock_options. Reads have none.
    bool fencing = false;

    /// Who goes first.
    preference prefer = preference::arrival;

    /// The `lockWatchdogTimeout` of the Redisson clients that use the same lock: their readers cut the lock's time to
    /// live to that, so a read of ours is confirmed every third of it, and valid for no longer than that without an
    /// answer. 0: none uses it. Must be 0 or at least 100 ms.
    std::chrono::milliseconds peer_watchdog{30'000};
};

/// Options of a fair lock's handle.
struct fair_options {
    /// As in @ref lock_options.
    bool fencing = false;

    /// A waiter whose client was not heard of for so long is dead, and passed over. A longer time survives longer
    /// outages; a shorter one lets a killed waiter delay the others less. At least 1 s.
    std::chrono::milliseconds waiter_timeout{15'000};
};

/// Options of a @ref red_lock.
struct red_options {
    /// Every lease carries a fencing token, greater than all earlier ones of the lock, for which a second round to a majority
    /// is made. Its assumption: the servers' wall clocks differ by less than `max_lease`. Members that are given must be
    /// mutexes with `lock_options::fencing`. All handles of one lock should agree.
    bool fencing = false;

    /// How long a round waits for servers that may still decide it, and a lease for those that may still join it. Default: a
    /// 200th of the lease, between 5 and 50 ms. At least 1 ms.
    std::optional<std::chrono::milliseconds> node_timeout = {};

    /// The longest lease of any client of the lock; the same for all of them. Longer leases and extensions are refused, and a
    /// server that was started anew counts only when it has certainly run for so long, and the drift allowance: by then
    /// nothing that it may have forgotten is valid.
    /// Default: `config::lease` of the first client.
    std::optional<std::chrono::milliseconds> max_lease = {};

    /// Counts servers however short they have been running: for a first start, for tests, and for servers that all run with
    /// `appendfsync always`, which forget nothing (no client may ask them whether they do).
    bool trust_new_nodes = false;
};

/// Options of `client::shutdown()`.
struct shutdown_options {
    /// How long holders may take to release. Must not be negative.
    std::chrono::milliseconds grace{5'000};
};

// GCC 12 destroys the members of a temporary in a co_await expression twice.
static_assert(std::is_trivially_copyable_v<acquire_options>);
static_assert(std::is_trivially_copyable_v<try_options>);
static_assert(std::is_trivially_copyable_v<fair_acquire_options>);
static_assert(std::is_trivially_copyable_v<fair_try_options>);
static_assert(std::is_trivially_copyable_v<lock_options>);
static_assert(std::is_trivially_copyable_v<rw_options>);
static_assert(std::is_trivially_copyable_v<fair_options>);
static_assert(std::is_trivially_copyable_v<red_options>);
static_assert(std::is_trivially_copyable_v<shutdown_options>);

}  // namespace holdfast

#endif
