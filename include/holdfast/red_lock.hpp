//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_LOCK_HPP
#define HOLDFAST_RED_LOCK_HPP

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// One lock over several independent servers. It is held while a majority of them grants it, so it survives the failure
/// of a minority. It has 2 to 31 servers. Odd numbers are best: an even number tolerates no more failures than one
/// less, and the constructor logs a warning.
///
/// The algorithm is Redlock ("Distributed Locks with Redis", redis.io), with the changes that its discussion requests
/// (M. Kleppmann, "How to do distributed locking"; S. Sanfilippo, "Is Redlock safe?", both 2016): validity is checked
/// after the last reply and less the drift, a restarted server does not count for `red_options::max_lease`, and
/// contenders without a majority wait for random times. The guarantee depends on every server of the majority that
/// granted: each must lose no data other than by a restart, and its wall clock must not step or run ahead by more than
/// the drift allowance. If one server breaks this, there may be a second holder, because the smallest majority is
/// enough. Where a violation would corrupt data, use fencing on one server instead: see docs/red_lock.md.
///
/// @par On the server
/// On each server the commands of its member: a @ref mutex, or the lock that was given. A round sends an attempt to all
/// servers at once, each with a new token. It ends as soon as the replies decide it, at the latest after
/// `red_options::node_timeout`. Without a majority the clients release everything, also grants that may follow. Once
/// for each connection: INFO. With fencing there is a second round with one script for each server: it writes the
/// greatest of the granted fencing tokens to each server that has granted so far and still has the grant. If a majority
/// does not confirm this, the clients release everything.
///
/// @par acquire, try_acquire
/// As for every lock, with these differences:
/// - They complete when a majority has granted, and do not wait for slow servers. A server that grants later, but
///   within `node_timeout`, joins the lease, unless that was released or lost before.
/// - Contenders of one process for one red_lock wait in a queue, and only the first runs rounds. One attempt does not
///   wait in the queue. Nor does an owner that holds so many reentrant members already that no other contender can have
///   a majority.
/// - After a round without a majority it waits for the unlock message of one server, or for a random time that grows
///   with each round up to `config::poll_interval`.
/// - errc::no_quorum in place of errc::unavailable: fewer than a majority of the servers replied in time, or may be
///   counted. Also if `wait` ends while it waits, unless a majority replied in the last round: then it is busy.
/// - errc::not_permitted also if so many servers deny INFO that no majority can be counted.
/// - errc::invalid_option: there are fewer than 2 or more than 31 servers; a member is a @ref semaphore,
///   a @ref multi_lock or a red_lock; a server was given twice, as the same client or with the same run id, or two
///   members are in one Redis Cluster; `lease` is longer than `red_options::max_lease`, or so short that `node_timeout`
///   does not fit into it twice (with fencing four times); `fencing` with members that are not fenced mutexes. The
///   @ref diagnostics name the reason.
/// - Errors for which waiting does not help end it only if they leave no majority.
///
/// @par The lease
/// It is valid while the leases of a majority of members are. `valid_until()` is the latest instant until which a
/// majority is valid. Each client renews the lease of its server. A lease that is renewed is also repaired: a server
/// that lacks it, because it restarted, or was away or busy in the round, is asked again about twice in a third of the
/// lease time, when it counts, and joins the lease when it grants. So a lease survives restarts of all servers, one by
/// one, with time enough between them (docs/red_lock.md). A member that joins so may end up to a third of the lease time
/// before `max_hold`. `lost()` completes when fewer than a majority are left of the members that granted in time or
/// joined later; the lease is not repaired then.
/// `valid()` locks a mutex, which is contended only while a member joins. `extend()` and `release()` act on all members
/// at once, and succeed when a majority did; otherwise they complete with errc::lease_lost or the first error. An
/// `extend()` by more than `red_options::max_lease` completes with errc::invalid_option, and nothing is sent.
/// `fencing_token()`, with `red_options::fencing`, is a token that a majority has confirmed. `owner()` is empty.
///
/// @par is_locked, force_release, holders
/// `is_locked()` is true if so many servers are locked that no majority is free. `force_release()` acts on all servers.
/// `holders()` has the holders on all servers, each with its id there. The last two need the replies of a majority;
/// without them they complete with the first error. All complete with errc::invalid_option if the members are invalid.
///
/// @par Lifetimes
/// Clients may be stopped or destroyed first: their servers do not count then. When no client is left, operations
/// complete with errc::client_stopped.
///
/// @par Example
/// @code
/// holdfast::red_lock quorum{{client1, client2, client3}, "nightly"};
/// auto lease = co_await quorum.acquire();
/// @endcode
class BOOST_SYMBOL_VISIBLE red_lock : public detail::lock_base<acquire_options, try_options> {
public:
    /// The options of the lock.
    using options = red_options;

    /// With a @ref mutex of that name for each client. Sends nothing. If the members or options are invalid, the
    /// operations complete with errc::invalid_option.
    red_lock(std::initializer_list<std::reference_wrapper<client const>> clients, std::string_view name, options = {});

    /// As above. Precondition: no pointer is null.
    red_lock(std::vector<client const*> const& clients, std::string_view name, options = {});

    /// The same for clients that are stored together, such as a `std::vector<client>`.
    red_lock(std::span<client const> clients, std::string_view name, options = {});

    /// With the given locks, each of one server. Members of kind @ref reentrant_lock exclude a RedissonRedLock of the
    /// same servers. The name is that of the first member.
    explicit red_lock(std::vector<any_lock> const& members, options = {});
};

}  // namespace holdfast

#endif
