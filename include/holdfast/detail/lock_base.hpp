//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_LOCK_BASE_HPP
#define HOLDFAST_DETAIL_LOCK_BASE_HPP

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/detail/acquire_request.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/holder.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

namespace holdfast::detail {

using lock_ptr = std::shared_ptr<lock_impl const>;

BOOST_SYMBOL_VISIBLE asio::any_io_executor executor_of(lock_ptr const&) noexcept;
BOOST_SYMBOL_VISIBLE void start_acquire(handler_at<void(error_code, lease)>, lock_ptr, acquire_request);
BOOST_SYMBOL_VISIBLE void start_is_locked(handler_at<void(error_code, bool)>, lock_ptr);
BOOST_SYMBOL_VISIBLE void start_force_release(handler_at<void(error_code, bool)>, lock_ptr);
BOOST_SYMBOL_VISIBLE void start_holders(handler_at<void(error_code, std::vector<holder>)>, lock_ptr);

/// The operations of every lock.
///
/// A handle is an immutable value. It is cheap to copy, and any thread may use it. It may be destroyed while its
/// operations are under way and its leases are held. Each operation completes as if posted, on the executor that is
/// associated with its handler, else on the client's.
///
/// Causes of errors that all operations have: errc::not_permitted, the password is wrong, or the server's access rules
/// deny a command, the key or the channel; errc::protocol, the server cannot execute the command, such
/// as a node of a cluster, or the client cannot use the server; errc::invalid_name, see @ref holdfast::errc;
/// errc::not_running, `client::run()` was not called; errc::client_stopped, the client is shutting down, was stopped or
/// destroyed, or its execution context has ended.
template <class AcquireOptions, class TryOptions>
class BOOST_SYMBOL_VISIBLE lock_base {
public:
    /// The options of `acquire()`.
    using acquire_options = AcquireOptions;
    /// The options of `try_acquire()`.
    using try_options = TryOptions;
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// The client's executor; the system executor if the client was destroyed or its execution context has ended.
    executor_type get_executor() const noexcept { return executor_of(state_); }

    /// The lock's name, without the client's prefix. The view is valid while a copy of this handle exists.
    std::string_view name() const noexcept;

    /// Acquires the lock. The wait has no limit: it lasts while other contenders hold the lock, while the server cannot
    /// be reached, and while it refuses to write. To limit it, use `try_acquire()` with `wait`, which needs no strand, or
    /// `asio::cancel_after`, whose timer needs the same strand as the operation if several threads run the context.
    ///
    /// @par On the server
    /// If the lock is free: one command. If it is busy: one subscription for all waiters of this client, and one
    /// attempt for each unlock message, at the latest after `config::poll_interval`. Nothing if the grant passes from
    /// another contender of this client (`config::local_handoff`).
    /// @par Completion
    /// With a held lease.
    /// @par Errors
    /// - errc::wrong_type, errc::not_permitted, errc::protocol: waiting would not help; the @ref diagnostics have the
    ///   server's error message
    /// - errc::unavailable: none of three grants in a row counted: the reply arrived after the validity had ended, or
    ///   too few replicas acknowledged the grant (`config::acknowledged_by`); or there is no connection, and
    ///   `options.require_connection` is set
    /// - errc::invalid_name, errc::invalid_option: the @ref diagnostics name the lock or the option
    /// - errc::owner_in_use: an earlier acquire of the same owner for this lock has not ended
    /// - errc::would_deadlock: the same owner holds the lock for reading and requests it for writing (read_write_lock)
    /// - errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total, in every phase: completes at once with `operation_aborted` and leaves nothing on the
    /// server. An attempt that was sent already serves the next waiter of this client. If there is none, the client
    /// undoes it with a command behind it on the same connection.
    /// @par Example
    /// @code
    /// auto lease = co_await lock.acquire({.lease = 10s});   // fixed, never renewed
    /// @endcode
    template <token_for<void(error_code, lease)> Token = default_token>
    [[nodiscard]] auto acquire(acquire_options options, Token&& token = {}) const
    {
        return initiate(start_acquire, std::forward<Token>(token), state_, to_request(options));
    }

    /// The same with default options: the lease time is `config::lease`, and the watchdog renews the lease.
    template <token_for<void(error_code, lease)> Token = default_token>
    [[nodiscard]] auto acquire(Token&& token = {}) const
    {
        return acquire(acquire_options{}, std::forward<Token>(token));
    }

    /// Acquires the lock if it is free, or becomes free within `options.wait`.
    ///
    /// @par On the server
    /// As `acquire()`. One attempt sends one command, and two more if a mutex is busy.
    /// @par Completion
    /// With a held lease. With success and an *empty* lease if the lock is busy: another contender holds it or is
    /// preferred, or `wait` was shorter than a server that works needs for a reply. With `wait`: when it ends, at the
    /// latest. Without `wait`: when the server has replied, at the latest after `config::command_timeout`.
    /// @par Errors
    /// As `acquire()`. In addition errc::unavailable: the connection is down, a reply is overdue (after eight times the
    /// slowest of the last response times, at least 25 ms and at most `config::command_timeout`), or the server cannot
    /// execute the attempt now; and errc::server_refused: the server refused to write, or a proxy refused the attempt,
    /// until the wait ended. A server that works is never reported as unavailable, and an outage is never reported as
    /// busy.
    /// @par Cancellation
    /// As `acquire()`.
    /// @par Example
    /// @code
    /// if (auto lease = co_await lock.try_acquire({.wait = 500ms}))
    ///     co_await work();
    /// @endcode
    template <token_for<void(error_code, lease)> Token = default_token>
    [[nodiscard]] auto try_acquire(try_options options, Token&& token = {}) const
    {
        return initiate(start_acquire, std::forward<Token>(token), state_, to_request(options));
    }

    /// The same with default options: one attempt.
    template <token_for<void(error_code, lease)> Token = default_token>
    [[nodiscard]] auto try_acquire(Token&& token = {}) const
    {
        return try_acquire(try_options{}, std::forward<Token>(token));
    }

    /// Reads whether the lock is held. The result may be out of date when the handler runs: use it for display, not for
    /// decisions.
    ///
    /// @par On the server
    /// One EXISTS; for a side of a read_write_lock one HGET; for a semaphore one GETRANGE.
    /// @par Completion
    /// With the result, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::unavailable: no reply within `config::command_timeout`, or the server cannot execute the command now
    /// - errc::wrong_type: the key of a read_write_lock is not a hash, or that of a semaphore is not a string
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto is_locked(Token&& token = {}) const
    {
        return initiate(start_is_locked, std::forward<Token>(token), state_);
    }

    /// Deletes the lock from the server, although others hold it, and notifies the waiters. A holder detects the loss
    /// at its next renewal.
    ///
    /// @par On the server
    /// One script. It deletes the key if that looks like a lock, and publishes the unlock message. Of a @ref semaphore
    /// it takes the permits of all holders away. Otherwise the key must be, with a time to live or without one:
    /// - for a mutex, reentrant_lock or fair_lock, which exclude one another: a string `<uuid>:<number>[:<label>]`, or
    ///   a hash with one field of that form, whose value is a whole number;
    /// - for a read_write_lock: a hash whose field `mode` is `read` or `write`, and whose other fields have that form.
    ///
    /// Redisson's locks have these forms, too. Any other key stays as it is.
    /// @par Completion
    /// With true if the lock was held, with false if it was free; within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: the key does not look like a lock; the @ref diagnostics describe it
    /// - errc::unavailable: no reply within `config::command_timeout`, and the lock may have been deleted; or the
    ///   server cannot execute the script now
    /// - errc::server_refused: the server refuses to write
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto force_release(Token&& token = {}) const
    {
        return initiate(start_force_release, std::forward<Token>(token), state_);
    }

    /// Reads the holders of the lock, and until when each holds it. The list is empty if the lock is free.
    ///
    /// @par On the server
    /// One script that only reads. A semaphore is read by one script for each thousand permits; other commands are
    /// executed between two of them. The result has each holder that holds its permits all the time.
    /// @par Completion
    /// With the holders, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: the key cannot be a lock
    /// - errc::unavailable: as `is_locked()`
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, std::vector<holder>)> Token = default_token>
    [[nodiscard]] auto holders(Token&& token = {}) const
    {
        return initiate(start_holders, std::forward<Token>(token), state_);
    }

    /// @cond
protected:
    explicit lock_base(lock_ptr state) noexcept : state_(std::move(state)) {}

    // The same lock with other types of options, for any_lock.
    template <class A, class T>
    explicit lock_base(lock_base<A, T> const& other) noexcept : state_(other.state_)
    {}

    lock_ptr const& impl() const noexcept { return state_; }
    // Precondition: the lock is not a composite.
    std::shared_ptr<single_lock const> state() const noexcept;
    /// @endcond

private:
    friend struct lock_access;
    template <class A, class T>
    friend class lock_base;

    lock_ptr state_;
};

extern template class BOOST_SYMBOL_VISIBLE lock_base<acquire_options, try_options>;
extern template class BOOST_SYMBOL_VISIBLE lock_base<fair_acquire_options, fair_try_options>;
extern template class BOOST_SYMBOL_VISIBLE lock_base<campaign_options, campaign_options>;
extern template class BOOST_SYMBOL_VISIBLE lock_base<permit_options, permit_try_options>;

}  // namespace holdfast::detail

#endif
