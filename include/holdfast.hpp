//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_HPP
#define HOLDFAST_HPP

/// @namespace holdfast
/// Distributed locks over Redis or Valkey.
///
/// Terms of this reference:
/// - *lock*: a name for which contenders compete. A *handle*, for example an object of @ref mutex, refers to it.
/// - *contender*: an acquire that is under way. *Waiter*: a contender that waits for the lock.
/// - *grant*: the record of a lock on the server, with a *token*, a text that a client uses for one grant only.
/// - *lease*: the guard by which the caller holds a lock. *Lease time*: the time to live that a grant gets when it is
///   made and whenever it is renewed. *Watchdog*: the part of a client that renews grants.
/// - *process*: where contenders of one process share a queue, a subscription or a grant, those of one client are
///   meant.
/// - *owner*: a task that may acquire a lock again while it holds it. *Re-entry*: such an acquire.
/// - *unlock message*: what a release publishes, for the waiters.
/// - *hand-off*: a grant passes to another contender of the same client, and no command is sent.
/// - *fencing token*: a number that grows with each grant of a lock, by which a resource refuses a stale holder.
/// - *composite lock*: a @ref multi_lock or a @ref red_lock. *Members*: the locks that it acquires.
/// - *drift allowance*: 1 % of the lease time and 2 ms. By so much validity ends earlier than the lease time, because
///   the clocks of the client and of the server run at different speeds.
/// - `{name}`, in keys and channels: the name of the lock in braces, with `config::key_prefix` before it. If the name
///   has braces of its own, no further ones are added.

// All public headers except <holdfast/testing/server.hpp>, which is for tests.
#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/config.hpp>
#include <holdfast/credentials.hpp>
#include <holdfast/diagnostics.hpp>
#include <holdfast/election.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fair_lock.hpp>
#include <holdfast/fence_gate.hpp>
#include <holdfast/holder.hpp>
#include <holdfast/latch.hpp>
#include <holdfast/lead.hpp>
#include <holdfast/leader_watch.hpp>
#include <holdfast/leadership.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lock_kind.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/multi_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/read_write_lock.hpp>
#include <holdfast/red_lock.hpp>
#include <holdfast/reentrant_lock.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/stats.hpp>
#include <holdfast/version.hpp>
#include <holdfast/waiter.hpp>
#include <holdfast/with_lock.hpp>

#endif
