//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OBSERVER_HPP
#define HOLDFAST_OBSERVER_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/config.hpp>

#include <holdfast/error.hpp>
#include <holdfast/lock_kind.hpp>
#include <holdfast/loss.hpp>

namespace holdfast {

/// An event of a lock. The views are valid during the call only. Members that do not apply are zero or empty. Names,
/// labels and error messages may contain control bytes: escape them before you write them to a log.
struct lock_event {
    std::string_view name;               ///< of the lock, without the client's prefix; empty: a query of the server
    std::string_view label;              ///< of the owner
    lock_kind kind{};                    ///< of the lock; of a query of the server it says nothing
    std::uint64_t acquire = 0;           ///< the number of the acquire, see @ref observer
    void* context = nullptr;             ///< of the acquire: what on_initiated returned
    std::chrono::milliseconds waited{};  ///< on_acquired, on_busy, on_failed
    /// on_acquired: the lease's token, if the lock has fencing tokens
    std::optional<std::uint64_t> fencing_token = {};
    std::chrono::milliseconds held{};  ///< on_released, on_lost
    std::chrono::microseconds lag{};   ///< on_renewed: from the send of the renewal to its confirmation
    loss reason{};                     ///< on_lost
    error_code code;                   ///< on_failed, on_refused; on_released: errc::lease_lost if a composite was lost
    std::string_view message;          ///< on_refused: the server's error message
};

/// Receives the events of a client (`config::observer`). Override the functions that you need.
///
/// Each acquire that @ref stats counts leads to exactly one call of on_waiting, and then to one of on_acquired, on_busy
/// or on_failed. For a @ref multi_lock or @ref red_lock these calls have the name of that lock, and its lease leads to
/// one call of on_released; the observer of its first client that is not stopped receives them. The grants of its
/// members lead to none of these calls, but to on_renewed, on_at_risk, on_lost and on_refused, with the names of the
/// members.
///
/// The calls for one acquire and its lease have the same number in `lock_event::acquire`, which no other acquire of the
/// client has. It is 0 for the members of a composite lock, and where a call belongs to no acquire. A read that a
/// downgrade() gives has the number of its write.
///
/// @par Context of an acquire
/// An observer may keep an object of its own with each acquire: on_initiated() returns it, and `lock_event::context`
/// points to it in all calls that have the acquire's number. Tracers need it: only at the initiation is the caller's
/// thread, and with it the caller's current span, known. The client destroys its reference when neither the acquire nor
/// its lease exists any more, on any thread, whatever happened to them. An acquire of an @ref election that has a
/// health predicate or a settle time may lead to several on_waiting one after the other, with the context of the one
/// initiation.
///
/// @par Thread safety
/// The client calls the functions on its strand, one at a time, and never inside a call of the user: with an observer,
/// the initiation of an operation, `client::stop()` and the destructor of a lease post to the strand and return. So an
/// observer may lock a mutex that the user holds during such a call. It must not block for long. It may start
/// operations, but must not wait for them. An observer of several clients is called by each of them, perhaps at the
/// same time.
///
/// There are two exceptions. on_initiated() is called inside the initiation of the acquire, on the thread of its
/// caller, and by several threads at the same time. And if the execution context is destroyed before its clients, its
/// destructor calls `on_lost` for the leases that end with it.
///
/// @par Cost
/// With an observer, each call costs one more iteration of the event loop. Without one, a call on a thread of the
/// client's executor takes effect at once.
///
/// @par Lifetimes
/// The client shares ownership of its observer.
///
/// @par Example
/// @code
/// struct loss_alarm : holdfast::observer {
///     void on_lost(holdfast::lock_event const& e) noexcept override { alarm(e.name, e.reason); }
/// };
/// holdfast::client client{ioc, {.observer = std::make_shared<loss_alarm>()}};
/// @endcode
class BOOST_SYMBOL_VISIBLE observer {
public:
    virtual ~observer() = default;

    /// The user's call initiates an acquire with valid options. The event has the name, the kind and the label. Nothing
    /// is counted yet: if the client's execution context has ended, no other call follows.
    ///
    /// @return the context of the acquire, see above; null: none.
    virtual std::shared_ptr<void> on_initiated(lock_event const&) noexcept { return {}; }

    virtual void on_waiting(lock_event const&) noexcept {}   ///< an acquire began
    virtual void on_acquired(lock_event const&) noexcept {}  ///< an acquire ended with a lease
    virtual void on_busy(lock_event const&) noexcept {}      ///< an acquire ended without a lease: the lock is busy
    virtual void on_failed(lock_event const&) noexcept {}    ///< an acquire ended with an error, or was cancelled
    virtual void on_released(lock_event const&) noexcept {}  ///< a lease was released
    virtual void on_renewed(lock_event const&) noexcept {}   ///< the server confirmed a renewal or an extension
    virtual void on_at_risk(lock_event const&) noexcept {}   ///< a renewal is overdue or failed
    virtual void on_lost(lock_event const&) noexcept {}      ///< a lease was lost
    virtual void on_refused(lock_event const&) noexcept {}   ///< the server refused a command

    virtual void on_connected() noexcept {}                                 ///< a connection can be used
    virtual void on_disconnected(error_code, std::string_view) noexcept {}  ///< it ended, or could not be opened
};

}  // namespace holdfast

#endif
