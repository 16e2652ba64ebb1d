//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ERROR_HPP
#define HOLDFAST_ERROR_HPP

#include <type_traits>

#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>
#include <boost/system/is_error_code_enum.hpp>
#include <boost/system/is_error_condition_enum.hpp>

namespace holdfast {

using boost::system::error_code;

/// What an operation can end with, besides success and `boost::asio::error::operation_aborted` (it was cancelled).
///
/// Each operation documents its closed list. To decide what to do next, compare with a @ref cond instead of with
/// single values.
enum class errc {
    /// No answer could be had in time: the outcome on the server is unknown, and whatever it was is being undone.
    unavailable = 1,
    /// The lease had been lost before the operation: somebody else may hold the lock.
    lease_lost,
    /// `lease::lost()`: the lease was released, so it cannot be lost any more.
    released,
    /// The client was stopped, or is shutting down.
    client_stopped,
    /// A key of another type, or a string without a time to live, stands under the lock's name; or a further key of the
    /// lock, such as its fencing counter, is of another type.
    wrong_type,
    /// Wrong password, or the server's access rules forbid a command, the key or the channel.
    not_permitted,
    /// The server refuses to write: OOM, MISCONF, NOREPLICAS and the like.
    server_refused,
    /// The server's reply made no sense.
    protocol,
    /// red_lock: no majority of the servers granted.
    no_quorum,
    /// A reader under the same owner asked for the write lock.
    would_deadlock,
    /// A name must have 1 to 512 bytes, and its braces must not put it and its channel into different hash slots.
    invalid_name,
    /// with_lock: the lock was not had within `.wait`.
    busy,
    /// The operation was called on an empty lease.
    empty_lease,
    /// An option is out of range; `client::last_failure()` names it.
    invalid_option,
    /// The same owner's earlier acquire of this lock is still under way: two tasks share an owner by mistake.
    owner_in_use,
    /// `client::run()` has not been called.
    not_running,
    /// `client::run()` was called before.
    already_running,
};

/// What a caller can do about an error: `if (ec == holdfast::cond::retry_later) ...`.
enum class cond {
    /// lease_lost: the outcome of the guarded work is unknown, do not repeat it blindly.
    ownership_lost = 1,
    /// busy, unavailable, no_quorum, server_refused, client_stopped.
    retry_later,
    /// wrong_type, not_permitted, protocol: an operator has to act.
    misconfigured,
    /// All others: the program has to be corrected.
    misuse,
};

/// Thread-safe, does not allocate.
error_code make_error_code(errc) noexcept;

/// Thread-safe, does not allocate.
boost::system::error_condition make_error_condition(cond) noexcept;

}  // namespace holdfast

template <>
struct boost::system::is_error_code_enum<holdfast::errc> : std::true_type {};

template <>
struct boost::system::is_error_condition_enum<holdfast::cond> : std::true_type {};

#endif
