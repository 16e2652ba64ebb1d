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

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {

namespace detail {

struct lease_access;

// What a lease stands for.
using lease_ptr = boost::intrusive_ptr<lease_impl>;
void intrusive_ptr_add_ref(lease_impl*) noexcept;
void intrusive_ptr_release(lease_impl*) noexcept;

struct lease_launch {
    lease_ptr of;
    asio::any_io_executor get_executor() const noexcept;
};

struct extend_launch : lease_launch {
    std::chrono::milliseconds by;
    void start(handler_at<void(error_code)>) &&;
};

struct lost_launch : lease_launch {
    void start(handler_at<void(error_code, loss)>) &&;
};

struct downgrade_launch : lease_launch {
    void start(handler_at<void(error_code, lease)>) &&;
};

struct release_launch;

}  // namespace detail

/// A move-only guard by which the caller holds a lock.
///
/// While `valid()`, no other client of this library holds a conflicting lease, provided that Redis lost no acknowledged
/// write, its wall clock did not step or outrun the drift allowance, nobody writes the keys outside the library, and the
/// machine was not frozen together with all its clocks (see docs/safety.md). After that nothing is promised except that
/// you are told: by `lost()`, and by `valid()` becoming false.
///
/// A lease that is destroyed while held queues its release and returns at once. A moved-from lease is empty.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: unsafe, except that all const functions may be called at the same time.
///
/// @par Lifetimes
/// May outlive the lock's handle, the client and the execution context; it is lost then, and does nothing.
///
/// @par Example
/// @code
/// holdfast::lease lease = co_await lock.acquire();
/// while (lease && more_work())      // ends on loss
///     co_await work();
/// co_await lease.release();         // or let it go out of scope
/// @endcode
class [[nodiscard("an unbound lease releases its lock at once")]] lease
{
public:
    using executor_type = asio::any_io_executor;

    /// An empty lease.
    lease() noexcept = default;

    lease(lease &&) noexcept = default;

    /// Releases what `*this` holds first, as the destructor does. In `l = co_await lock.acquire()` the acquire comes
    /// before the assignment: on a lock that `l` holds it waits for itself.
    lease& operator=(lease&& other) noexcept
    {
        lease taken(std::move(other));
        impl_.swap(taken.impl_);
        return *this;
    }

    /// Queues the release, if held: never blocks, never throws.
    ~lease()
    {
        if (impl_)
            drop();
    }

    /// That of the client; the system's when the client is gone.
    executor_type get_executor() const noexcept;

    /// Same as `valid()`.
    explicit operator bool() const noexcept
    {
        return valid();
    }

    /// Held, and the clock is before `valid_until()`. Reads the clock; no allocation, and no mutex but for a lease of several.
    bool valid() const noexcept;

    /// Holds nothing: default-constructed, moved from, released, or downgraded.
    bool empty() const noexcept;

    /// What is known now. Judged by the clock too: `lost` as soon as validity ran out.
    lease_state state() const noexcept;

    /// The end of validity as far as it is confirmed; grows with each renewal. `time_point::min()` when empty or lost
    /// with its client. Judged on a clock that goes on while the host sleeps, and converted here: ask anew after a
    /// suspension of the host.
    std::chrono::steady_clock::time_point valid_until() const noexcept;

    /// The grant's fencing token, if the lock was made with `fencing`. Hand it to the resource, and have that refuse
    /// smaller ones.
    std::optional<std::uint64_t> fencing_token() const noexcept;

    /// The fencing token of the member of that name, if this is the lease of a @ref multi_lock, each of whose members has
    /// tokens of its own.
    std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept;

    /// The lock's name; empty when the lease is. Valid as long as the lease is not changed.
    std::string_view name() const noexcept;

    /// The owner that holds the lock, if the lock has owners; none for the lease of a @ref multi_lock or @ref red_lock, whose
    /// members may have several.
    std::optional<holdfast::owner> owner() const;

    /// How many leases of this owner hold the lock now: 1, and one more for each re-entry. A lease that was released or lost
    /// does not count. For several locks: 1. 0 when empty.
    unsigned hold_count() const noexcept;

    /// Makes the lease valid for at least `by` from now (from the send of the command, less the drift allowance). Never
    /// shortens. On a renewed lease: renews now. Other leases of the owner, by re-entry, keep their own ends.
    ///
    /// @par On the server
    /// One script: sets the time to live of the key if it is still ours and lasts less.
    /// @par Completion
    /// When the server confirmed, and `valid_until()` shows it.
    /// @par Errors
    /// - errc::lease_lost: it was lost before, or turned out to be
    /// - errc::unavailable: no answer in time, or not connected; the lease is `at_risk` and may have been extended
    /// - errc::server_refused, errc::not_permitted: the server refused; nothing changed
    /// - errc::empty_lease: the lease was empty, or was released before the operation was launched
    /// - errc::invalid_option (`by` is not positive, or exceeds what `max_hold` leaves), errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: before the send nothing happens; after it the operation ends at once with
    /// `operation_aborted`, and the extension may take effect.
    /// @par Lifetimes
    /// The lease may be moved. Released, destroyed or downgraded before the server confirmed: ends with errc::lease_lost.
    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto extend(std::chrono::milliseconds by, Token && token = {})
    {
        return detail::initiate<void(error_code)>(detail::extend_launch{{impl_}, by}, std::forward<Token>(token));
    }

    /// Waits for the loss of the lease.
    ///
    /// @par On the server
    /// Nothing is sent.
    /// @par Completion
    /// With *success* and the reason when the lease is lost, no later than `valid_until()`: in
    /// `co_await (work() || lease.lost(asio::use_awaitable))` the operator waits for the first success and cancels the
    /// work. At once if it was lost before.
    /// @par Errors
    /// - errc::released: it was released first
    /// - errc::empty_lease
    /// @par Cancellation
    /// Terminal, partial, total: ends the wait with `operation_aborted`; the lease stays as it is.
    /// @par Lifetimes
    /// The lease may be moved meanwhile.
    template <token_for<void(error_code, loss)> Token = asio::deferred_t>
    [[nodiscard]] auto lost(Token && token = {}) const
    {
        return detail::initiate<void(error_code, loss)>(detail::lost_launch{{impl_}}, std::forward<Token>(token));
    }

    /// Releases the lock, or one hold of it. The lease is empty from this call on; should the operation never be
    /// launched, the release is queued all the same.
    ///
    /// @par On the server
    /// One script: deletes the key if it is ours, and publishes the unlock message. Nothing when other holds of the
    /// owner remain, or when the grant passes to a waiter of this process.
    /// @par Completion
    /// When the server confirmed, or at once when nothing is sent.
    /// @par Errors
    /// - errc::lease_lost: it had been lost before; what it guarded may have been touched by another holder
    /// - errc::unavailable: no answer within `config::command_timeout`; the release goes on in the background until the
    ///   server answers or the key has expired
    /// - errc::server_refused, errc::not_permitted: the server refused; the key expires with its lease
    /// - errc::client_stopped: the client, or the execution context of one that is needed, ended first; the key expires with
    ///   its lease
    /// - errc::empty_lease
    /// @par Cancellation
    /// Terminal, partial, total: the operation ends at once with `operation_aborted`; the release goes on.
    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto release(Token && token = {});

    /// Makes a write of a @ref read_write_lock a read, on the terms on which the write was acquired: takes the read under
    /// the write, then releases the write. Nobody writes in between; readers that wait enter. Concerns this lease alone:
    /// while other leases of the owner hold the write by re-entry, the write stays, and the owner has the read besides.
    ///
    /// @par On the server
    /// Two scripts: the read is taken while the write stands, then the write is released, unless other leases hold it.
    /// @par Completion
    /// With the read's lease. This one is empty since the read was granted: what is launched on it from then on finds none.
    /// @par Errors
    /// This lease stays as it is, but for errc::lease_lost:
    /// - errc::lease_lost: the write had been lost before, or turned out to be
    /// - errc::unavailable: the read was not had within `config::command_timeout`
    /// - errc::invalid_option: it is no write of a read_write_lock
    /// - errc::wrong_type, errc::not_permitted, errc::server_refused, errc::protocol: as `acquire()`
    /// - errc::empty_lease: the lease was empty, or was released before the operation was launched
    /// - errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: until the read is had, ends at once with `operation_aborted`, and nothing changed. From
    /// then on the downgrade is completed, within `config::command_timeout`.
    /// @par Lifetimes
    /// The lease may be moved meanwhile. Released, destroyed or downgraded anew, the downgrade ends with errc::lease_lost.
    template <token_for<void(error_code, lease)> Token = asio::deferred_t>
    [[nodiscard]] auto downgrade(Token && token = {});

private:
    friend struct detail::lease_access;

    explicit lease(detail::lease_ptr l) noexcept : impl_(std::move(l)) {}
    void drop() noexcept;

    detail::lease_ptr impl_;
};

namespace detail {

struct release_launch {
    lease of;
    asio::any_io_executor get_executor() const noexcept { return of.get_executor(); }
    void start(handler_at<void(error_code)>) &&;
};

}  // namespace detail

template <token_for<void(error_code, lease)> Token>
auto lease::downgrade(Token&& token)
{
    return detail::initiate<void(error_code, lease)>(detail::downgrade_launch{{impl_}}, std::forward<Token>(token));
}

template <token_for<void(error_code)> Token>
auto lease::release(Token&& token)
{
    return detail::initiate<void(error_code)>(detail::release_launch{std::move(*this)}, std::forward<Token>(token));
}

}  // namespace holdfast

#endif
