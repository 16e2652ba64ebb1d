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

// All durations have a resolution of a millisecond. A duration of more than ten years, in any option, counts as ten
// years.

/// Options of `acquire()`. An invalid value makes it complete with errc::invalid_option.
struct acquire_options {
    /// The lease time: how long the server keeps the grant after the last renewal. At least 100 ms. If it is given, the
    /// lease is fixed: it is not renewed, unless `renew` is set. Default: `config::lease`, and the watchdog renews the
    /// lease.
    std::optional<std::chrono::milliseconds> lease = {};

    /// Renews the lease although `lease` is given.
    bool renew = false;

    /// The lease is lost when it has been held for this time, renewed or not; 0: no limit. Default: `config::max_hold`.
    /// A re-entry has a limit of its own, and does not change that of the outer lease. It needs no strand, also on several
    /// threads. Must not be negative.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// How long the lock stays taken from the grant on, whatever becomes of the holder: a release before that time,
    /// also that of the lease's destructor, a loss or a crash of the process leaves the lock on the server until the
    /// time is over. The lease itself ends as without this option, and `release()` completes with success. For jobs
    /// that many hosts start at about the same time: the time must be longer than their clocks differ. The grant is
    /// never handed off in the process. Of several holds of one owner the latest end counts. Default: no such time.
    /// More than 0, at most 12 h, and not longer than `max_hold` if that is not 0. @ref mutex, @ref reentrant_lock,
    /// @ref fair_lock and @ref semaphore have it; the other locks complete with errc::invalid_option.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// Without a connection the operation does not wait for the next one: it completes with errc::unavailable at once, if
    /// the connection is down when it begins, or is lost while it waits. If none was opened yet, it waits for the result of
    /// the first attempt to connect. A re-entry that needs no extension needs no connection either. docs/operations.md says
    /// what a @ref multi_lock and a @ref red_lock do.
    bool require_connection = false;
};

/// Options of `try_acquire()`. An invalid value makes it complete with errc::invalid_option.
struct try_options {
    /// How long to wait for the lock. Default, and 0: one attempt. `milliseconds::max()`: no limit. It needs no strand,
    /// also on several threads. Must not be negative.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of `fair_lock::acquire()`. An invalid value makes it complete with errc::invalid_option.
struct fair_acquire_options {
    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// 1 to 10: a waiter is served before earlier waiters of lower priority, within the limit that @ref fair_lock
    /// states.
    int priority = 5;

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of `fair_lock::try_acquire()`. An invalid value makes it complete with errc::invalid_option.
struct fair_try_options {
    /// As in @ref try_options. One attempt overtakes no waiter.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// As in @ref fair_acquire_options.
    int priority = 5;

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of `semaphore::acquire()`. An invalid value makes it complete with errc::invalid_option.
struct permit_options {
    /// As in @ref acquire_options; at most 12 h.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref acquire_options; the permits stay taken. It makes the semaphore a rate limit: with 1 s, at most as
    /// many leases as there are permits begin within any second, over all processes.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// How many permits the lease has: 1 to 4095, and not more than there are.
    unsigned weight = 1;

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of `semaphore::try_acquire()`. An invalid value makes it complete with errc::invalid_option.
struct permit_try_options {
    /// As in @ref try_options.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref permit_options.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    bool renew = false;

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// As in @ref permit_options.
    std::optional<std::chrono::milliseconds> at_least = {};

    /// As in @ref permit_options.
    unsigned weight = 1;

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of a lock's handle.
struct lock_options {
    /// Each grant has a fencing token, which is greater than all earlier ones of the lock (see docs/fencing.md). It
    /// costs a script in place of a plain command, and there is no hand-off inside the process, because the server
    /// makes the token. All handles of one lock should have the same value: a re-entry has the token of the grant that
    /// it enters, or none.
    bool fencing = false;
};

/// Which side of a @ref holdfast::read_write_lock is preferred. Its header states how long each side waits at most.
enum class preference {
    arrival,  ///< in turns: waiting readers and waiting writers alternate
    readers,  ///< writers wait until there is no reader
    writers,  ///< readers wait until no writer waits
};

/// Options of a @ref holdfast::read_write_lock, whose constructor throws if one is invalid. All handles of one lock
/// should have the same values.
struct rw_options {
    /// Each write has a fencing token, as in @ref lock_options. Reads have none.
    bool fencing = false;

    /// Which side is preferred.
    preference prefer = preference::arrival;

    /// The `lockWatchdogTimeout` of the Redisson clients that use the same lock; 0: no Redisson client uses it.
    /// Redisson's readers reduce the lock's time to live to that time. So the client renews each read after every third
    /// of it, and a read is valid for no longer than that time after the last reply. 0, or at least 100 ms.
    std::chrono::milliseconds peer_watchdog{30'000};
};

/// Options of a fair lock's handle, whose constructor throws if one is invalid.
struct fair_options {
    /// As in @ref lock_options.
    bool fencing = false;

    /// A waiter that its client has not refreshed for this time counts as dead, and is removed from the queue. With a
    /// longer time waiters survive longer outages; with a shorter one a killed waiter delays the others less. At least
    /// 1 s.
    std::chrono::milliseconds waiter_timeout{15'000};
};

/// Options of a @ref red_lock. An invalid value makes its operations complete with errc::invalid_option.
struct red_options {
    /// Each lease has a fencing token, which is greater than all earlier ones of the lock. It costs a second round to a
    /// majority. It assumes that the servers' wall clocks differ by less than `max_lease`. Members that are given must
    /// be mutexes with `lock_options::fencing`. All handles of one lock should have the same value.
    bool fencing = false;

    /// How long a round waits for servers that may still decide it, and a lease for servers that may still join it.
    /// Default: a 200th of the lease time, at least 5 and at most 50 ms. At least 1 ms.
    std::optional<std::chrono::milliseconds> node_timeout = {};

    /// The longest lease time of any client of the lock; all clients must have the same value. Acquires and extensions
    /// for more are refused. A restarted server counts only after it has certainly run for this time and the drift
    /// allowance: by then no lease that it may have lost is valid. At least 100 ms. Default: `config::lease` of the
    /// first client.
    std::optional<std::chrono::milliseconds> max_lease = {};

    /// Counts servers for however short a time they have run. For a first start, for tests, and for servers that all
    /// run with `appendfsync always`, which lose nothing; INFO does not report that setting.
    bool trust_new_nodes = false;
};

/// Options of a @ref semaphore, whose constructor throws if one is invalid.
struct semaphore_options {
    /// Creates the semaphore with so many permits if there is none on the server; 0: never creates it. If there is one,
    /// its number holds for all clients, whatever their handles say. A client that learns of another number writes a
    /// warning to its log, and counts it in `stats::permits_differ`.
    unsigned permits = 0;

    /// Waiters get permits in order of arrival, over all processes. Free permits are kept for the first waiter until it
    /// can have all that it asks for, so those that ask for many permits are served, too. All handles of one semaphore
    /// should have the same value: others do not know the queue, and pass it.
    bool fair = false;

    /// Each lease has a number, from 1 to the number of permits, that no other valid lease has, and a fencing token
    /// that is greater than all earlier ones of the semaphore: a resource keeps the greatest token for each number. The
    /// weight of each lease is 1, and grants are never handed off in the process. All handles of one semaphore should
    /// have the same value. At most 128 permits; not for a fair semaphore.
    bool numbered = false;

    /// Waiters receive the messages of all releases, also those of Redisson's clients. Each release then leads to an
    /// attempt of each process that waits. Otherwise a release notifies at most as many processes as permits are free
    /// again, and a waiter notices a release by a client of Redisson within `config::poll_interval`. Clients may differ.
    /// In one client all waiters of a semaphore are notified as the handle says that is used first. No effect on a fair
    /// semaphore.
    bool with_redisson = false;

    /// Of a fair semaphore, as in @ref fair_options. At least 1 s.
    std::chrono::milliseconds waiter_timeout{15'000};
};

/// Options of an election's handle, whose constructor throws if one is invalid.
struct election_options {
    /// A candidate that its client has not refreshed for this time counts as dead, and is removed from the queue: so
    /// long can a killed candidate delay the one behind it. At least 1 s.
    std::chrono::milliseconds candidate_timeout{3'000};

    /// After a leader that did not resign, because its process died, it was cut off or its leadership was taken away,
    /// the next campaign holds and renews the lock for this time before it completes. Use it for resources that cannot
    /// check the term: requests that the former leader sent last arrive before the next one leads. A leader that resigned, or none for a day, costs
    /// no wait. All candidates of an election should have the same value. 0 to 12 h.
    std::chrono::milliseconds settle{0};
};

/// Options of `election::campaign()` and `lead()`. A leadership is always renewed. An invalid value makes the operation
/// complete with errc::invalid_option.
struct campaign_options {
    /// How long to wait for the leadership. Without a value the wait has no limit; 0 is one attempt. Must not be
    /// negative.
    std::optional<std::chrono::milliseconds> wait = {};

    /// The lease time: so long after the crash of a leader the next one leads. At least 100 ms. Default:
    /// `config::lease`.
    std::optional<std::chrono::milliseconds> lease = {};

    /// As in @ref acquire_options.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// 1 to 10: a candidate is served before earlier candidates of lower priority, within the limit that
    /// @ref fair_lock states.
    int priority = 5;

    /// As in @ref acquire_options.
    bool require_connection = false;
};

/// Options of `client::shutdown()`.
struct shutdown_options {
    /// How long the holders may take to release their leases. 0: the client stops at once. Must not be negative.
    std::chrono::milliseconds grace{5'000};

    /// When the bodies of `with_lock()` and `lead()` are cancelled, if they have not ended: so long after the call. 0:
    /// at once. With `grace` or more they are cancelled at the end of `grace`, when the leases become lost. Must not be
    /// negative.
    std::chrono::milliseconds cancel_after{0};
};

// GCC 12 destroys the members of a temporary in a co_await expression twice. Trivially copyable options are not
// affected.
static_assert(std::is_trivially_copyable_v<acquire_options>);
static_assert(std::is_trivially_copyable_v<try_options>);
static_assert(std::is_trivially_copyable_v<fair_acquire_options>);
static_assert(std::is_trivially_copyable_v<fair_try_options>);
static_assert(std::is_trivially_copyable_v<permit_options>);
static_assert(std::is_trivially_copyable_v<permit_try_options>);
static_assert(std::is_trivially_copyable_v<lock_options>);
static_assert(std::is_trivially_copyable_v<rw_options>);
static_assert(std::is_trivially_copyable_v<fair_options>);
static_assert(std::is_trivially_copyable_v<red_options>);
static_assert(std::is_trivially_copyable_v<semaphore_options>);
static_assert(std::is_trivially_copyable_v<election_options>);
static_assert(std::is_trivially_copyable_v<campaign_options>);
static_assert(std::is_trivially_copyable_v<shutdown_options>);

}  // namespace holdfast

#endif
