//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEASE_HPP
#define HOLDFAST_LEASE_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/config.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {

namespace detail {

struct lease_access;

// The implementation of a lease. Reference-counted, because operations of the lease may outlive it.
using lease_ptr = boost::intrusive_ptr<lease_impl>;
BOOST_SYMBOL_VISIBLE void intrusive_ptr_add_ref(lease_impl*) noexcept;
BOOST_SYMBOL_VISIBLE void intrusive_ptr_release(lease_impl*) noexcept;

// The operations of a lease have a reference of their own: the lease may be moved, released or destroyed before they start.
BOOST_SYMBOL_VISIBLE asio::any_io_executor executor_of(lease_ptr const&) noexcept;
BOOST_SYMBOL_VISIBLE lease_ptr pointer_to(lease const&) noexcept;
BOOST_SYMBOL_VISIBLE void start_extend(handler_at<void(error_code)>, lease_ptr, std::chrono::milliseconds by);
BOOST_SYMBOL_VISIBLE void start_lost(handler_at<void(error_code, loss)>, lease_ptr);
BOOST_SYMBOL_VISIBLE void start_downgrade(handler_at<void(error_code, lease)>, lease_ptr);
// Has the lease, so that it is released also if the operation is never started.
BOOST_SYMBOL_VISIBLE void start_release(handler_at<void(error_code)>, lease);

}  // namespace detail

/// A move-only guard by which the caller holds a lock.
///
/// @par Guarantee
/// While `valid()`, no other client of this library holds a conflicting lease, provided that Redis lost no acknowledged
/// write, that its wall clock did not step or run ahead by more than the drift allowance (1 % of the lease time, and
/// 2 ms), that only this library writes the keys, and that the machine was not frozen together with all its clocks (see
/// docs/safety.md). After that, the only guarantee is that the loss is reported: `lost()` completes, and `valid()`
/// becomes false.
///
/// @par Invariant
/// A lease is empty, held, at risk, or lost. A lost lease is never valid again. A moved-from lease is empty.
///
/// @par Renewal
/// The watchdog of the client renews a lease after each third of its lease time, unless it is fixed (see
/// @ref acquire_options). A lease that its handler has not received yet is not renewed.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: unsafe, except that all const functions may be called at the same time.
///
/// @par Lifetimes
/// It may outlive the lock's handle, the client and the execution context; it is lost then, and does nothing.
///
/// @par Example
/// @code
/// holdfast::lease lease = co_await lock.acquire();
/// while (lease && more_work())      // ends on loss
///     co_await work();
/// co_await lease.release();         // or let it go out of scope
/// @endcode
///
/// @par Compiler trap
/// `co_await lock.acquire();` discards the lease, and so releases the lock at once. Clang warns of it
/// (`-Wunused-result`, on by default); GCC 12 does not warn of the discarded result of a `co_await`.
class [[nodiscard("an unbound lease releases its lock at once"), gnu::visibility("default")]] lease
{
public:
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// An empty lease.
    lease() noexcept = default;

    /// Leaves an empty lease behind.
    lease(lease &&) noexcept = default;

    /// Queues the release of the lease that `*this` held, as the destructor does. Beware of
    /// `l = co_await lock.acquire()` if `l` holds that lock: the acquire precedes the assignment, so it waits for
    /// itself.
    lease& operator=(lease&& other) noexcept
    {
        lease taken(std::move(other));
        impl_.swap(taken.impl_);
        return *this;
    }

    /// Queues the release and returns. A lost lease is released, too: one compare-and-delete, because a renewal of
    /// unknown outcome may have left the key. Never blocks or throws. The outcome is not reported. Does not allocate if the
    /// client runs on an `io_context` or a `thread_pool`; with another executor, the process ends without memory: see
    /// "Without memory" in docs/threads.md.
    ~lease()
    {
        if (impl_)
            drop();
    }

    /// The client's executor; the system executor if the lease is empty, the client was destroyed, or its execution
    /// context has ended.
    executor_type get_executor() const noexcept;

    /// The same as `valid()`.
    explicit operator bool() const noexcept
    {
        return valid();
    }

    /// Whether the lease is held, or at risk, and the clock is before `valid_until()`. It is false as soon as that has
    /// passed, also if the process was paused and no timer of it has run. Allocates nothing; only a lease of several
    /// locks locks a mutex.
    bool valid() const noexcept;

    /// Whether the lease is empty: default-constructed, moved from, released, or downgraded.
    bool empty() const noexcept;

    /// The state as far as the client knows it. `lost` as soon as the clock is past `valid_until()`.
    lease_state state() const noexcept;

    /// The end of validity that the server has confirmed: the lease time, less the drift allowance, after the client
    /// sent the command that the server confirmed last, but not after the end of `max_hold`. Each renewal moves it to a
    /// later time. A lost lease keeps the end that it had, except that of several locks. The epoch of the clock,
    /// `time_point()`, if a lease of several locks is lost, the lease is empty, its client was destroyed, or the
    /// execution context has ended: the difference from now does not overflow. It is kept on a clock that runs while
    /// the host sleeps, and is converted in this call: after a suspension of the host, call it again.
    std::chrono::steady_clock::time_point valid_until() const noexcept;

    /// The fencing token of the grant, if the lock was made with `fencing`. Pass it to the resource, and let the
    /// resource refuse smaller ones. A re-entry has the token of the grant that it entered.
    std::optional<std::uint64_t> fencing_token() const noexcept;

    /// The fencing token of the member with that name, if this is the lease of a @ref multi_lock, each of whose members
    /// has a token of its own. For other locks `member` must be the lock's name.
    std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept;

    /// The number of the permit, if the semaphore was made with `numbered`: 1 to the number of permits. No other valid
    /// lease of the semaphore has it. Nothing for other locks.
    std::optional<unsigned> number() const noexcept;

    /// The lock's name; empty if the lease is empty. The view is valid until the lease is changed or destroyed.
    std::string_view name() const noexcept;

    /// The owner that holds the lock, if the lock has owners. None for the lease of a @ref multi_lock or @ref red_lock,
    /// whose members may have several owners.
    std::optional<holdfast::owner> owner() const;

    /// The number of leases by which the owner holds the lock now: 1, and one more for each re-entry. Leases that were
    /// released or lost do not count. 1 for the lease of several locks; 0 if the lease is empty.
    unsigned hold_count() const noexcept;

    /// Makes the lease valid for at least `by`, counted from the send of the command, less the drift allowance. Never
    /// shortens it. A renewed lease is renewed now. Other leases of the owner, by re-entry, keep their ends.
    ///
    /// @par On the server
    /// One script: sets the time to live of the key, if the key still has this lease's token and expires earlier.
    /// @par Completion
    /// With success when the server has confirmed it; `valid_until()` includes it then. Within
    /// `config::command_timeout`; with `config::acknowledged_by` later, as is said there.
    /// @par Errors
    /// - errc::lease_lost: the lease was lost before, or the reply shows that it is lost
    /// - errc::unavailable: no reply in time: the lease is `at_risk`, and may have been extended; or the client is not
    ///   connected, or the server cannot execute the script now: nothing changed; or too few replicas acknowledged it
    ///   (`config::acknowledged_by`): `valid_until()` did not change
    /// - errc::server_refused, errc::not_permitted, errc::protocol: the server refused the script; nothing changed
    /// - errc::empty_lease: the lease was empty, or was released before the operation was started
    /// - errc::invalid_option: `by` is not positive, exceeds the time that `max_hold` leaves, or, of a @ref semaphore,
    ///   is longer than 12 h
    /// - errc::client_stopped: the client was stopped meanwhile or was destroyed, or its execution context has ended
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    /// @par Lifetimes
    /// The lease may be moved meanwhile. If it is released, destroyed or downgraded before the server has confirmed,
    /// the operation completes with errc::lease_lost.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto extend(std::chrono::milliseconds by, Token && token = {})
    {
        return detail::initiate(detail::start_extend, std::forward<Token>(token), impl_, by);
    }

    /// Waits for the loss of the lease. Several of these operations may wait at the same time.
    ///
    /// @par On the server
    /// Nothing is sent.
    /// @par Completion
    /// With *success* and the reason when the lease is lost. So in
    /// `co_await (work() || lease.lost(asio::use_awaitable))` the operator cancels the work. If validity ends, it
    /// completes before `valid_until()`, by a fiftieth of the lease time, at least 2 ms and at most 100 ms, so that
    /// there is time to stop the work. At once if the lease was lost before.
    /// @par Errors
    /// - errc::released: the lease was released or downgraded first
    /// - errc::empty_lease: the lease was empty
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`; the lease stays as it is.
    /// @par Lifetimes
    /// The lease may be moved meanwhile. If it is destroyed, the operation completes with errc::released.
    template <token_for<void(error_code, loss)> Token = default_token>
    [[nodiscard]] auto lost(Token && token = {}) const
    {
        return detail::initiate(detail::start_lost, std::forward<Token>(token), impl_);
    }

    /// Releases the lock, or one of its owner's holds. The lease is empty from this call on. If the operation is
    /// destroyed without a start, the release is queued nevertheless.
    ///
    /// @par On the server
    /// One script: deletes the key if it still has this lease's token, and publishes the unlock message. Releases of
    /// one iteration of the event loop may share a script. Nothing is sent if the owner has other holds, or if the
    /// grant passes to a waiter of this process. Before the time of `acquire_options::at_least` is over, a script of
    /// its own sets the rest as the key's time to live instead of deleting it.
    /// @par Completion
    /// With success when the server has confirmed it; at once if nothing is sent. Within `config::command_timeout`.
    /// @par Errors
    /// - errc::lease_lost: the lease was lost before, or the key no longer had its token: another holder may have
    ///   changed what the lock protects
    /// - errc::unavailable: no confirmation within `config::command_timeout`, because the server did not reply or does
    ///   not write now; the client repeats the release in the background until the server has replied or the key has
    ///   expired
    /// - errc::not_permitted, errc::protocol: the server refused the script; the client repeats the release in the
    ///   background until the key has expired
    /// - errc::client_stopped: a client of this lease was stopped meanwhile or was destroyed, or its execution context
    ///   has ended; the key expires after its lease time
    /// - errc::empty_lease: the lease was empty
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`; the release goes on.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto release(Token && token = {});

    /// Turns a write of a @ref read_write_lock into a read with the same options: acquires the read under the write,
    /// then releases the write. No other contender writes in between; readers that wait enter. It concerns only this
    /// lease: if other leases of the owner hold the write by re-entry, the owner holds the write and the read.
    ///
    /// @par On the server
    /// Two scripts: one acquires the read while the write is held; one releases the write, unless other leases hold it.
    /// @par Completion
    /// With the lease of the read. This lease is empty from the grant of the read on: operations that are started on it
    /// later complete with errc::empty_lease.
    /// @par Errors
    /// This lease stays as it is, except with errc::lease_lost:
    /// - errc::lease_lost: the write was lost before or meanwhile
    /// - errc::unavailable: the read was not granted within `config::command_timeout`, or too few replicas acknowledged
    ///   it (`config::acknowledged_by`)
    /// - errc::invalid_option: this is not the lease of a write
    /// - errc::wrong_type, errc::not_permitted, errc::server_refused, errc::protocol: as `acquire()`
    /// - errc::empty_lease: the lease was empty, or was released before the operation was started
    /// - errc::client_stopped: the client is shutting down, was stopped meanwhile or was destroyed, or its execution
    ///   context has ended
    /// @par Cancellation
    /// Terminal, partial, total: until the read is granted, completes at once with `operation_aborted`, and nothing
    /// changed. After that the downgrade is completed, within `config::command_timeout`.
    /// @par Lifetimes
    /// The lease may be moved meanwhile. If it is released, destroyed or downgraded again, the downgrade completes with
    /// errc::lease_lost.
    template <token_for<void(error_code, lease)> Token = default_token>
    [[nodiscard]] auto downgrade(Token && token = {});

private:
    friend struct detail::lease_access;

    explicit lease(detail::lease_ptr l) noexcept : impl_(std::move(l)) {}
    void drop() noexcept;

    detail::lease_ptr impl_;
};

template <token_for<void(error_code, lease)> Token>
auto lease::downgrade(Token&& token)
{
    return detail::initiate(detail::start_downgrade, std::forward<Token>(token), impl_);
}

template <token_for<void(error_code)> Token>
auto lease::release(Token&& token)
{
    return detail::initiate(detail::start_release, std::forward<Token>(token), std::move(*this));
}

}  // namespace holdfast

#endif
