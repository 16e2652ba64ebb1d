//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MULTI_LOCK_HPP
#define HOLDFAST_MULTI_LOCK_HPP

#include <vector>

#include <holdfast/any_lock.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// Several locks as one, of any kinds and clients: all are held, or none.
///
/// It never holds one lock while it waits for another, so multi-locks in opposite orders do not deadlock: it waits for one
/// member, tries the others, and when one of those is missing gives back all that it had and waits for the missing one.
/// Source: `std::lock` as implemented by LLVM and GCC; H. Hinnant, "Dining Philosophers Rebooted", 2013. After the second
/// miss it pauses for a random time first, so that two multi-locks that take turns at each other's members part.
///
/// It is not fair: among holders of single members it may wait long. See docs/multi_lock.md.
///
/// @par On the server
/// That of the members. All are tried at once; those of one client leave in one write, so that free members cost one round
/// trip, however many they are. Mutexes of one client without fencing tokens are granted by one script, all or none.
///
/// @par acquire, try_acquire
/// As documented there, with these differences:
/// - `wait` bounds all of it; `lease`, `renew` and `max_hold` hold for each member
/// - errc::invalid_option: there are no members; or members of one name are locks of different kinds or owners; or a server's
///   lock of a @ref red_lock is a member on its own, too, or belongs to two of them (`last_failure()` of the first member's
///   client says so). One lock given twice is taken once, and a read and a write of
///   one @ref read_write_lock are a write
/// - any member's error is the whole's, and every other member is given back
/// - errc::unavailable also when the lease of one member ends before the last is granted: in one attempt, or three times in a
///   row
///
/// @par The lease
/// `valid()` while all members are, `valid_until()` the first end of theirs; the loss of one is the loss of all.
/// `extend()` extends all, or ends with errc::lease_lost or errc::unavailable; with errc::invalid_option, and nothing is sent,
/// when a @ref red_lock among the members may not be held for so long. `release()` and the destructor release all;
/// the failure of one does not stop the others. `fencing_token(member)` is that of the member of this name,
/// `fencing_token()` is empty. `owner()` is empty, too.
///
/// @par is_locked, force_release, holders
/// Whether any member is locked; of all members. Also errc::invalid_option, where acquire() has it for the members.
///
/// @par Two clients of one server
/// A lock given twice is recognised by its client and key. Handles of two clients of one server for one name are two
/// contenders: the multi-lock would wait for itself.
///
/// @par Example
/// @code
/// holdfast::multi_lock both{from, to};   // no order of names needed
/// auto lease = co_await both.acquire();
/// co_await transfer(lease.fencing_token("account:1"), lease.fencing_token("account:2"));
/// @endcode
class multi_lock : public detail::lock_base<acquire_options, try_options> {
public:
    /// Copies the handles, not the locks. A multi-lock among them is taken for its members.
    explicit multi_lock(std::vector<any_lock> const& members);

    // Two and more: one argument would ask whether a multi_lock can be copied in order to say how it is copied.
    template <async_lock First, async_lock Second, async_lock... Other>
    multi_lock(First const& first, Second const& second, Other const&... other)
        : multi_lock(std::vector<any_lock>{any_lock(first), any_lock(second), any_lock(other)...})
    {}
};

}  // namespace holdfast

#endif
