//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_LOCK_HPP
#define HOLDFAST_RED_LOCK_HPP

#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <holdfast/any_lock.hpp>
#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// One lock over several independent servers: held when a majority of them granted it, so that it outlives the failure of
/// a minority. Two to 31 servers; odd numbers are best, an even one bears no more failures than one less (the log says so).
///
/// The algorithm is Redlock ("Distributed Locks with Redis", redis.io), with what its discussion asked for (M. Kleppmann,
/// "How to do distributed locking"; S. Sanfilippo, "Is Redlock safe?", both 2016): validity judged after the last answer and
/// with drift, restarted servers not counted for `red_options::max_lease`, losers that part by random delays. Its promise
/// rests on every server of the majority that granted: each must keep its memory, other than by a restart, and its wall clock
/// must not step or run ahead by more than the drift allowance. One that does not may let a second holder in, since a bare
/// majority suffices. Where a violation would corrupt data, use fencing on one server instead: see docs/red_lock.md.
///
/// @par On the server
/// On each that of the members: a @ref mutex each, or what they are. One round asks all servers at once, each grant with a
/// token of its own, and ends as soon as what came decides it, at the latest after `red_options::node_timeout`. Without a
/// majority everything is released, also what may yet be granted. Once per connection, INFO. With fencing a second round, of
/// a script each, which writes the greatest of the granted tokens to each server that has granted so far and on which the
/// grant still stands; without a majority of those, too, everything is released.
///
/// @par acquire, try_acquire
/// As documented there, with these differences:
/// - completes when a majority has granted: servers that are silent or slow are not waited for. A server that grants within
///   `node_timeout` all the same joins the lease, unless that was released or lost before
/// - contenders of one process for one red_lock queue, and only the first of them runs rounds; one attempt does not queue,
///   nor does an owner of reentrant members that holds so many of them already that nobody else can have a majority
/// - after a round without a majority it waits for a server's unlock message, or for a random time that grows with the
///   rounds, up to `config::poll_interval`, before the next
/// - errc::no_quorum in place of errc::unavailable: fewer than a majority of the servers answered in time, or may be counted.
///   A try whose time is over while it waits ends so, too, unless a majority answered in the last round (then it is busy)
/// - errc::not_permitted, also when so many servers deny INFO that no majority can be counted
/// - errc::invalid_option: fewer than 2 or more than 31 servers, one given twice (by client, or by its run id), a `lease`
///   longer than `red_options::max_lease` or so short that `node_timeout` does not fit into it twice (with fencing: four
///   times), `fencing` with members that are no fenced mutexes; `last_failure()` of the first member's client says which
/// - errors that waiting does not cure only when they leave no majority
///
/// @par The lease
/// Valid while a majority's members are; `valid_until()` is the latest instant that a majority reaches. Members are renewed
/// each by its client; one that was lost is not taken again. What `lost()` tells is that no majority is left of those that
/// granted in time, and of those that joined before. `valid()` takes a mutex, which is busy only while a member joins.
/// `extend()` and `release()` act on all at once, and succeed when a majority did; else errc::lease_lost or the first error.
/// An `extend()` by more than `red_options::max_lease` ends with errc::invalid_option, and nothing is sent.
/// `fencing_token()` is the lease's, with `red_options::fencing`: one that a majority has confirmed, or there is no lease.
/// `owner()` is empty.
///
/// @par is_locked, force_release, holders
/// Whether so many servers are locked that no majority is left; all servers; the holders on all servers, each with the id
/// that it has there. Also errc::invalid_option, where acquire() has it for the members.
///
/// @par Example
/// @code
/// holdfast::red_lock quorum{{client1, client2, client3}, "nightly"};
/// auto lease = co_await quorum.acquire();
/// @endcode
class red_lock : public detail::lock_base<acquire_options, try_options> {
public:
    using options = red_options;

    /// A @ref mutex of that name at each client.
    red_lock(std::initializer_list<std::reference_wrapper<client const>> clients, std::string_view name, options = {});

    red_lock(std::vector<client const*> const& clients, std::string_view name, options = {});

    /// Any locks of one server each. Members of kind @ref reentrant_lock meet those of RedissonRedLock. The name is that of
    /// the first.
    explicit red_lock(std::vector<any_lock> const& members, options = {});
};

}  // namespace holdfast

#endif
