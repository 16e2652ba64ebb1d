//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ERROR_HPP
#define HOLDFAST_ERROR_HPP

#include <type_traits>

#include <boost/config.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>
#include <boost/system/is_error_code_enum.hpp>
#include <boost/system/is_error_condition_enum.hpp>

namespace holdfast {

using boost::system::error_code;

/// The errors of operations. An operation may also complete with `boost::asio::error::operation_aborted`, if it was
/// cancelled. What an error code does not say, the name of the lock, the option, the server's error message, is in the
/// @ref diagnostics of the operation.
///
/// Each operation documents a closed list of its errors. To decide what to do next, compare with a @ref cond instead of
/// with single values. `operation_aborted` and latch_removed, by which a task calls it off, equal no @ref cond.
enum class errc {
    /// The server did not reply in time, or cannot execute the command now. The outcome on the server may be unknown;
    /// the client undoes an acquire of unknown outcome.
    unavailable = 1,
    /// The lease was lost before the operation, or the operation detected the loss: another contender may hold the
    /// lock.
    lease_lost,
    /// `lease::lost()`, `leadership::asked_to_yield()`: the lease was released, so what they wait for cannot occur any
    /// more.
    released,
    /// The client was stopped or destroyed, is shutting down, or its execution context has ended; or this process is a
    /// forked child of the one that made the client.
    client_stopped,
    /// The key of the lock is of another type, or a string without a time to live; or a further key of the lock, such
    /// as its fencing counter, is of another type.
    wrong_type,
    /// The password is wrong, or the server's access rules deny a command, the key or the channel.
    not_permitted,
    /// The server refuses to write: OOM, MISCONF, NOREPLICAS. Or it replied with an error that the library does not
    /// know, such as one of a proxy. Operations that wait go on waiting.
    server_refused,
    /// The server's reply has no meaning for the client, or the server cannot execute the command: it does not know it,
    /// or a script failed. Or the client cannot use the server: it does not speak RESP3, or it does not suit the scheme
    /// of the URL, as a member of a Redis Cluster of several primaries at `redis://`.
    protocol,
    /// red_lock: fewer than a majority of the servers replied in time, or may be counted.
    no_quorum,
    /// The same owner holds the lock for reading and requests it for writing: it would wait for itself.
    would_deadlock,
    /// The name does not have 1 to 512 bytes with the client's prefix, or its braces put the lock's key and the keys
    /// that are derived from it into different hash slots. Or, with that prefix, it is the name of a key that belongs
    /// to another lock, such as `holdfast_fence:{other}` or `{other}:timeout`.
    invalid_name,
    /// with_lock, lead: the lock was not acquired within `options.wait`.
    busy,
    /// The lease or the leadership was empty, or the @ref leader_watch was moved from.
    empty_lease,
    /// An option is invalid; `diagnostics` and `client::last_failure()` name it.
    invalid_option,
    /// An earlier acquire of the same owner for this lock has not ended: two tasks share an owner by mistake.
    owner_in_use,
    /// `client::run()` has not been called.
    not_running,
    /// `client::run()` was called before.
    already_running,
    /// `latch::wait()`: the latch was removed, so it does not open.
    latch_removed,
};

/// The reaction that an error calls for: `if (ec == holdfast::cond::retry_later) ...`.
enum class cond {
    /// lease_lost: another contender may have changed what the lock protects, so do not simply repeat the work.
    ownership_lost = 1,
    /// busy, unavailable, no_quorum, server_refused: the same call may succeed later.
    retry_later,
    /// wrong_type, not_permitted, protocol: an operator has to act.
    misconfigured,
    /// All others: the program has to be corrected.
    misuse,
    /// client_stopped: the same call on this client never succeeds; the program ends, or makes another client.
    stopped,
};

/// Thread-safe. Does not allocate.
BOOST_SYMBOL_VISIBLE error_code make_error_code(errc) noexcept;

/// Thread-safe. Does not allocate.
BOOST_SYMBOL_VISIBLE boost::system::error_condition make_error_condition(cond) noexcept;

}  // namespace holdfast

/// @cond
template <>
struct boost::system::is_error_code_enum<holdfast::errc> : std::true_type {};

template <>
struct boost::system::is_error_condition_enum<holdfast::cond> : std::true_type {};
/// @endcond

#endif
