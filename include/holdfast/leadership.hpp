//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEADERSHIP_HPP
#define HOLDFAST_LEADERSHIP_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>

namespace holdfast {

/// Why a leader is asked to resign. It decides itself when it does.
enum class yield_reason : unsigned char {
    better_candidate,  ///< a candidate of higher priority comes next
    unhealthy,         ///< the health predicate of the election returned false
    client_stopping,   ///< `client::shutdown()` was called
};

/// The name of the enumerator, for logs.
constexpr std::string_view to_string(yield_reason r) noexcept
{
    constexpr std::string_view names[]{"better_candidate", "unhealthy", "client_stopping"};
    return names[static_cast<std::size_t>(r)];
}

namespace detail {

BOOST_SYMBOL_VISIBLE void start_proclaim(handler_at<void(error_code)>, lease_ptr, std::string value);
BOOST_SYMBOL_VISIBLE void start_asked_to_yield(handler_at<void(error_code, yield_reason)>, lease_ptr);

struct leadership_access;

}  // namespace detail

/// A won election: the lease of its lock, whose fencing token is the term. It ends with the object: the destructor
/// queues the resignation. What is said of @ref lease about the guarantee, renewal, lifetimes and thread safety holds
/// here, too. @ref election has an example.
class [[nodiscard("an unbound leadership ends at once"), gnu::visibility("default")]] leadership
{
public:
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// An empty leadership.
    leadership() noexcept = default;

    /// Leaves an empty leadership behind.
    leadership(leadership &&) noexcept = default;

    /// Queues the resignation of `*this`, as the destructor does.
    leadership& operator=(leadership&&) noexcept = default;

    /// Queues the resignation and returns, unless it is empty. Never blocks or throws. It posts to
    /// the client's executor, as `~lease()` does.
    ~leadership() = default;

    /// As `lease::get_executor()`.
    executor_type get_executor() const noexcept
    {
        return held_.get_executor();
    }

    /// The same as `valid()`.
    explicit operator bool() const noexcept
    {
        return valid();
    }

    /// Whether no other client leads, as `lease::valid()`. False as soon as the clock has passed `valid_until()`.
    bool valid() const noexcept
    {
        return held_.valid();
    }

    /// Whether it is empty: default-constructed, moved from or resigned, or the result of a campaign that was not won.
    bool empty() const noexcept
    {
        return held_.empty();
    }

    /// As `lease::valid_until()`.
    std::chrono::steady_clock::time_point valid_until() const noexcept
    {
        return held_.valid_until();
    }

    /// The term: greater than that of every leader before. Pass it to each resource that the leader writes, and let the
    /// resource refuse smaller ones: nothing else stops a leader whose process was paused. 0 if it is empty.
    std::uint64_t term() const noexcept
    {
        return held_.fencing_token().value_or(0);
    }

    /// The lease of the election's lock. The reference is valid until the leadership is changed or destroyed.
    lease const& held() const noexcept
    {
        return held_;
    }

    /// Changes the value of this leader, under the same term. Observers receive it. It is copied in this call.
    ///
    /// @par On the server
    /// One script, which changes the value only while this leader holds the lock.
    /// @par Completion
    /// When the server has confirmed it, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::lease_lost: the leadership was lost
    /// - errc::unavailable: no reply within `config::command_timeout`, and the value may have been changed; or the
    ///   server cannot execute the script now
    /// - errc::invalid_option: the value has more than 4096 bytes
    /// - errc::empty_lease: the leadership was empty
    /// - errc::wrong_type: the lock or the record of the leader is of another type
    /// - errc::server_refused, errc::not_permitted, errc::protocol
    /// - errc::client_stopped: the client is shutting down, was stopped or destroyed, or its execution context has
    ///   ended
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    /// @par Lifetimes
    /// The leadership may be moved meanwhile. If it is resigned or destroyed before the script is sent, the operation
    /// completes with errc::lease_lost.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto proclaim(std::string_view value, Token && token = {})
    {
        return detail::initiate(
            detail::start_proclaim, std::forward<Token>(token), detail::pointer_to(held_), std::string(value));
    }

    /// Waits for the loss of the leadership; as `lease::lost()`. It succeeds with the reason of the loss, in time to
    /// stop the work.
    template <token_for<void(error_code, loss)> Token = default_token>
    [[nodiscard]] auto lost(Token && token = {}) const
    {
        return held_.lost(std::forward<Token>(token));
    }

    /// Waits until this leader should resign in favour of another one. It is a request, no loss: the leader may finish
    /// its work, or go on.
    ///
    /// With a health predicate, it also asks that predicate: at the beginning, and after each third of the lease time.
    ///
    /// @par On the server
    /// A subscription, and a script that reads the priority of the next candidate: at the beginning, when a candidate
    /// of higher priority comes, on a new connection, and at least once in `config::poll_interval`; once a second if
    /// the server permits no subscription.
    /// @par Completion
    /// With *success* and the reason, so that in
    /// `co_await (work() || me.asked_to_yield(asio::use_awaitable) || me.lost(asio::use_awaitable))` the operator
    /// cancels the work. A loss is an error of this operation, and the operator waits for a success: hence `lost()`. At
    /// once if the next candidate is preferred already, or the client shuts down already.
    /// @par Errors
    /// - errc::released: the leader resigned first
    /// - errc::lease_lost: the leadership was lost, also because the client was stopped
    /// - errc::empty_lease: the leadership was empty
    /// - errc::wrong_type, errc::not_permitted, errc::protocol: the candidates cannot be read
    /// - errc::client_stopped: the client was destroyed before, or its execution context has ended
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`; the leadership stays as it is.
    /// @par Lifetimes
    /// The leadership may be moved meanwhile. If it is destroyed, the operation completes with errc::released.
    template <token_for<void(error_code, yield_reason)> Token = default_token>
    [[nodiscard]] auto asked_to_yield(Token && token = {}) const
    {
        return detail::initiate(detail::start_asked_to_yield, std::forward<Token>(token), detail::pointer_to(held_));
    }

    /// Ends the leadership. It is empty from this call on. The observers and the next candidate are notified;
    /// completion, errors and cancellation are those of `lease::release()`.
    ///
    /// @par On the server
    /// One script, which deletes the record of the leader, releases the lock, and publishes both messages.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto resign(Token && token = {})
    {
        return held_.release(std::forward<Token>(token));
    }

private:
    friend struct detail::leadership_access;

    explicit leadership(lease held) noexcept : held_(std::move(held)) {}

    lease held_;
};

}  // namespace holdfast

#endif
