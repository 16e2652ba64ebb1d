//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MULTI_LOCK_HPP
#define HOLDFAST_MULTI_LOCK_HPP

#include <vector>

#include <boost/config.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// Several locks as one lock. They may be of any kinds but @ref semaphore, and of any clients. Either all members are
/// held, or none.
///
/// It never holds one lock while it waits for another, so multi_locks in opposite orders do not deadlock. It waits for
/// one member and tries the others. If one of those is busy, it releases all and waits for that one. Source:
/// `std::lock` as implemented by LLVM and GCC; H. Hinnant, "Dining Philosophers Rebooted", 2013. From the second failed
/// round on it first pauses for a random time, so that two multi_locks do not block each other in every round.
///
/// It is not fair: if other contenders hold single members, it may wait long. See docs/multi_lock.md.
///
/// @par On the server
/// The commands of the members. The attempts on all members are sent at once, those of one client in one write: if all
/// are free, an acquire costs one round trip for any number of members. One script grants up to 500 mutexes of one
/// client without fencing tokens, all of them or none; more than 500 are granted by several scripts.
///
/// @par acquire, try_acquire
/// As for every lock, with these differences:
/// - `wait` limits the whole acquire. `lease`, `renew` and `max_hold` apply to each member.
/// - errc::invalid_option: there are no members; a member is a @ref semaphore; members of one name and client are locks
///   of different kinds or owners; or a server's lock of a @ref red_lock is a member itself or belongs to two
///   red_locks. The @ref diagnostics name the reason. A lock that is given twice is acquired once; a read and a write
///   of one @ref read_write_lock are acquired as a write.
/// - An error of one member is the error of the whole, and every other member is released.
/// - errc::unavailable also if the lease of one member ends before the last member is granted: in a single attempt, or
///   three times in a row.
///
/// @par The lease
/// It is valid while the leases of all members are; `valid_until()` is the first of their ends. The loss of one is the
/// loss of all. `extend()` extends all members, or completes with the error of a member; of several errors
/// errc::lease_lost comes first. It completes with errc::invalid_option, and sends nothing, if the time exceeds
/// `max_lease` of a @ref red_lock among the members. `release()` and the destructor release all; the failure of one
/// does not stop the others. `fencing_token(member)` is the token of the member with that name. `fencing_token()` and
/// `owner()` are empty.
///
/// @par is_locked, force_release, holders
/// `is_locked()` is true if any member is locked. `force_release()` acts on all members, `holders()` has the holders of
/// all. All complete with errc::invalid_option if the members are invalid.
///
/// @par Two clients of one server
/// Two handles are the same lock if their client and key are. Handles of two clients of one server for one name are two
/// contenders: a multi_lock of both would wait for itself.
///
/// @par Lifetimes
/// The handles of the members may be destroyed first. If a member's client was stopped or destroyed, operations
/// complete with errc::client_stopped.
///
/// @par Example
/// @code
/// holdfast::multi_lock both{from, to};   // no order of names needed
/// auto lease = co_await both.acquire();
/// co_await transfer(lease.fencing_token("account:1"), lease.fencing_token("account:2"));
/// @endcode
class BOOST_SYMBOL_VISIBLE multi_lock : public detail::lock_base<acquire_options, try_options> {
public:
    /// Copies the handles, not the locks. Sends nothing. A multi_lock among the members is replaced by its members. If
    /// the members are invalid, the operations complete with errc::invalid_option.
    explicit multi_lock(std::vector<any_lock> const& members);

    /// The same for members of known types.
    // At least two parameters: with one, this constructor would be a candidate for copying, and its constraint would
    // depend on whether a multi_lock can be copied.
    template <async_lock First, async_lock Second, async_lock... Other>
    multi_lock(First const& first, Second const& second, Other const&... other)
        : multi_lock(std::vector<any_lock>{any_lock(first), any_lock(second), any_lock(other)...})
    {}
};

}  // namespace holdfast

#endif
