//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OBSERVER_HPP
#define HOLDFAST_OBSERVER_HPP

#include <chrono>
#include <string_view>

#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>

namespace holdfast {

/// What happened to a lock. Views are valid during the call only; what does not apply is zero or empty. Names, labels and
/// the server's words are given as they are, control bytes included: escape them before you write them to a log.
struct lock_event {
    std::string_view name;               ///< of the lock, without the client's prefix
    std::string_view label;              ///< of the owner
    std::chrono::milliseconds waited{};  ///< on_acquired, on_busy, on_failed
    std::chrono::milliseconds held{};    ///< on_released, on_lost
    loss reason{};                       ///< on_lost
    error_code code;                     ///< on_failed, on_refused
    std::string_view message;            ///< on_refused: the server's words
};

/// Told of what happens in a client (`config::observer`). Override what you need.
///
/// Each acquire that @ref stats counts leads to exactly one of on_acquired, on_busy and on_failed; one of a
/// @ref multi_lock or @ref red_lock to one with the name of that lock, and its lease to one on_released. Its members' own
/// grants lead to none of these, but to on_at_risk, on_lost and on_refused with the names of the members.
///
/// @par Thread safety
/// The functions are called on the client's strand, never two at a time for one client, and never inside a call of the
/// user's: the initiation of an operation, `client::stop()` and the destructor of a lease post to the strand and return. So
/// an observer may lock a mutex that the user holds at such a call. It must not block for long, and may start operations
/// but not wait for them. An observer shared by several clients is called by each of them.
///
/// One exception: when the execution context is destroyed before its clients, the destructor of the context calls
/// `on_lost` for the leases that end with it.
///
/// Without an observer a client does at once what it is asked for on a thread of its executor; with one it takes another
/// turn of the loop.
class observer {
public:
    virtual ~observer() = default;

    virtual void on_acquired(lock_event const&) noexcept {}  ///< an acquire ended with a lease
    virtual void on_busy(lock_event const&) noexcept {}      ///< an acquire ended without one: somebody else holds it
    virtual void on_failed(lock_event const&) noexcept {}    ///< an acquire ended with an error, or was cancelled
    virtual void on_released(lock_event const&) noexcept {}  ///< a tenure ended
    virtual void on_at_risk(lock_event const&) noexcept {}   ///< a renewal is overdue or failed
    virtual void on_lost(lock_event const&) noexcept {}      ///< a tenure was lost
    virtual void on_refused(lock_event const&) noexcept {}   ///< the server refused a command

    virtual void on_connected() noexcept {}                                 ///< an epoch began
    virtual void on_disconnected(error_code, std::string_view) noexcept {}  ///< it ended, or none could be opened
};

}  // namespace holdfast

#endif
