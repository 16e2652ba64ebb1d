//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_LOCK_BASE_HPP
#define HOLDFAST_DETAIL_LOCK_BASE_HPP

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

namespace holdfast {

/// Who holds a lock, as the server has it.
struct holder {
    std::string id;                         ///< "<client's uuid>:<n>", or whatever another library wrote
    std::string label;                      ///< of the owner, if it has one
    bool writer = false;                    ///< read_write_lock: holds for writing
    std::chrono::milliseconds remaining{};  ///< until the grant ends; -1: it has no time to live
};

namespace detail {

// acquire_options or try_options, seen as one.
struct acquire_request {
    std::optional<std::chrono::milliseconds> lease;
    std::optional<std::chrono::milliseconds> max_hold;
    std::optional<std::chrono::milliseconds> wait;  // none: as long as it takes; zero: one attempt
    bool renew;
    int priority = 5;
    std::optional<std::chrono::milliseconds> limit = {};  // for the answers to one attempt; none: its own
    bool is_part = false;                                 // of the acquire of a composite lock
};

// The options of an acquire that waits as long as it takes. Structured bindings name every member on both sides: an option
// that is added to one of them does not compile until it is passed on.
constexpr acquire_options without_wait(try_options const& from) noexcept
{
    acquire_options to;
    auto const& [wait, lease, renew, max_hold] = from;
    auto& [to_lease, to_renew, to_max_hold] = to;
    to_lease = lease;
    to_renew = renew;
    to_max_hold = max_hold;
    return to;
}

constexpr fair_acquire_options without_wait(fair_try_options const& from) noexcept
{
    fair_acquire_options to;
    auto const& [wait, lease, renew, max_hold, priority] = from;
    auto& [to_lease, to_renew, to_max_hold, to_priority] = to;
    to_lease = lease;
    to_renew = renew;
    to_max_hold = max_hold;
    to_priority = priority;
    return to;
}

constexpr acquire_request to_request(acquire_options const& o) noexcept
{
    auto const& [lease, renew, max_hold] = o;
    return {lease, max_hold, std::nullopt, renew};
}

constexpr acquire_request to_request(fair_acquire_options const& o) noexcept
{
    auto const& [lease, renew, max_hold, priority] = o;
    return {lease, max_hold, std::nullopt, renew, priority};
}

template <class TryOptions>
constexpr acquire_request to_request(TryOptions const& o) noexcept
{
    auto request = to_request(without_wait(o));
    request.wait = o.wait.value_or(std::chrono::milliseconds(0));
    return request;
}

struct lock_launch {
    std::shared_ptr<lock_impl const> of;
    asio::any_io_executor get_executor() const noexcept;
};

struct acquire_launch : lock_launch {
    acquire_request request;
    void start(handler_at<void(error_code, lease)>) &&;
};

struct is_locked_launch : lock_launch {
    void start(handler_at<void(error_code, bool)>) &&;
};

struct force_release_launch : lock_launch {
    void start(handler_at<void(error_code, bool)>) &&;
};

struct holders_launch : lock_launch {
    void start(handler_at<void(error_code, std::vector<holder>)>) &&;
};

/// What every lock can do. A handle is an immutable value: cheap to copy, may be used from any thread, and be destroyed
/// while its operations are under way and its leases are held.
template <class AcquireOptions, class TryOptions>
class lock_base {
public:
    using acquire_options = AcquireOptions;
    using try_options = TryOptions;
    using executor_type = asio::any_io_executor;

    /// That of the client; the system's when the client is gone.
    executor_type get_executor() const noexcept { return lock_launch{state_}.get_executor(); }

    /// The lock's name, without the client's prefix. Valid as long as a copy of this handle lives.
    std::string_view name() const noexcept;

    /// Takes the lock, waiting as long as it takes: through other holders, and through outages of the server. Bound it
    /// with `asio::cancel_after`, or use `try_acquire`.
    ///
    /// @par On the server
    /// One command when the lock is free. When it is not: a subscription shared by all waiters of this process, and one
    /// command per unlock message. Nothing when the grant comes from another coroutine of this process.
    /// @par Completion
    /// With a held lease.
    /// @par Errors
    /// - errc::wrong_type, errc::not_permitted, errc::server_refused, errc::protocol: waiting would not cure it;
    ///   `client::last_failure()` has the server's words
    /// - errc::unavailable: three grants in a row came when their validity had already run out
    /// - errc::invalid_name, errc::invalid_option: `client::last_failure()` says which
    /// - errc::owner_in_use: an acquire of the same owner is still under way
    /// - errc::would_deadlock: the same owner reads what it asks to write (read_write_lock)
    /// - errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total, in every phase: ends at once with `operation_aborted` and leaves nothing behind. A
    /// command already sent serves the next waiter of this process or is undone, behind it on the same connection.
    /// @par Example
    /// @code
    /// auto lease = co_await lock.acquire({.lease = 10s});   // fixed, never renewed
    /// @endcode
    template <token_for<void(error_code, lease)> Token = asio::deferred_t>
    [[nodiscard]] auto acquire(acquire_options options, Token&& token = {}) const
    {
        return initiate<void(error_code, lease)>(
            acquire_launch{{state_}, to_request(options)}, std::forward<Token>(token));
    }

    template <token_for<void(error_code, lease)> Token = asio::deferred_t>
    [[nodiscard]] auto acquire(Token&& token = {}) const
    {
        return acquire(acquire_options{}, std::forward<Token>(token));
    }

    /// Takes the lock if it is free, or becomes free within `options.wait`.
    ///
    /// @par On the server
    /// As `acquire()`. One attempt sends one command, two more when a mutex turns out to be taken.
    /// @par Completion
    /// With a held lease; with an *empty* lease and success when the lock is busy: somebody else holds it or goes first,
    /// or `wait` was over before a server that works could answer. By the end of `wait`; without `wait`, when the server
    /// has answered, at the latest after `config::command_timeout`.
    /// @par Errors
    /// As `acquire()`; besides, errc::unavailable when the connection is down, an answer is overdue (after eight times the
    /// server's usual response time, at least 25 ms), or the server cannot tell now. A server that works is never
    /// reported as unavailable, nor an outage as busy.
    /// @par Cancellation
    /// As `acquire()`.
    /// @par Example
    /// @code
    /// if (auto lease = co_await lock.try_acquire({.wait = 500ms}))
    ///     co_await work();
    /// @endcode
    template <token_for<void(error_code, lease)> Token = asio::deferred_t>
    [[nodiscard]] auto try_acquire(try_options options, Token&& token = {}) const
    {
        return initiate<void(error_code, lease)>(
            acquire_launch{{state_}, to_request(options)}, std::forward<Token>(token));
    }

    template <token_for<void(error_code, lease)> Token = asio::deferred_t>
    [[nodiscard]] auto try_acquire(Token&& token = {}) const
    {
        return try_acquire(try_options{}, std::forward<Token>(token));
    }

    /// Whether anybody holds the lock. True or false by the time you look at it: use it to show, not to decide.
    ///
    /// @par On the server
    /// One EXISTS.
    /// @par Errors
    /// errc::unavailable, errc::not_permitted, errc::invalid_name, errc::not_running, errc::client_stopped.
    /// @par Cancellation
    /// Terminal, partial, total: ends at once.
    template <token_for<void(error_code, bool)> Token = asio::deferred_t>
    [[nodiscard]] auto is_locked(Token&& token = {}) const
    {
        return initiate<void(error_code, bool)>(is_locked_launch{{state_}}, std::forward<Token>(token));
    }

    /// Takes the lock away from whoever holds it, and wakes the waiters. Completes with true if somebody held it; the
    /// holder learns of its loss with its next renewal.
    ///
    /// @par On the server
    /// One script: deletes the key if it looks like a lock, and publishes the unlock message. That is, it has a time to
    /// live, and is
    /// - of a mutex, reentrant_lock or fair_lock, which exclude one another: a string `<uuid>:<number>[:<label>]`, or a
    ///   hash with one field of that form and a whole number;
    /// - of a read_write_lock: a hash whose field `mode` is `read` or `write`, and whose other fields are of that form.
    ///
    /// Locks of Redisson do, too. Anything else stays as it is.
    /// @par Errors
    /// errc::wrong_type (it is no lock; `client::last_failure()` says what was found), errc::unavailable (it may have been
    /// done), errc::not_permitted, errc::server_refused, errc::invalid_name, errc::not_running, errc::client_stopped.
    /// @par Cancellation
    /// Terminal, partial, total: ends at once; once sent, it may take effect.
    template <token_for<void(error_code, bool)> Token = asio::deferred_t>
    [[nodiscard]] auto force_release(Token&& token = {}) const
    {
        return initiate<void(error_code, bool)>(force_release_launch{{state_}}, std::forward<Token>(token));
    }

    /// Who holds the lock, and for how long yet. Empty when it is free.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Errors
    /// errc::wrong_type, errc::unavailable, errc::not_permitted, errc::invalid_name, errc::not_running,
    /// errc::client_stopped.
    /// @par Cancellation
    /// Terminal, partial, total: ends at once.
    template <token_for<void(error_code, std::vector<holder>)> Token = asio::deferred_t>
    [[nodiscard]] auto holders(Token&& token = {}) const
    {
        return initiate<void(error_code, std::vector<holder>)>(holders_launch{{state_}}, std::forward<Token>(token));
    }

protected:
    explicit lock_base(std::shared_ptr<lock_impl const> state) noexcept : state_(std::move(state)) {}

    // The same lock, taken with other options.
    template <class A, class T>
    explicit lock_base(lock_base<A, T> const& other) noexcept : state_(other.state_)
    {}

    // Of a lock that is no composite.
    std::shared_ptr<single_lock const> state() const noexcept;

private:
    friend struct lock_access;
    template <class A, class T>
    friend class lock_base;

    std::shared_ptr<lock_impl const> state_;
};

extern template class lock_base<acquire_options, try_options>;
extern template class lock_base<fair_acquire_options, fair_try_options>;

}  // namespace detail
}  // namespace holdfast

#endif
