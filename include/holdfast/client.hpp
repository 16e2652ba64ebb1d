//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_HPP
#define HOLDFAST_CLIENT_HPP

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/execution_context.hpp>

#include <holdfast/config.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/stats.hpp>

namespace holdfast {

/// What has an executor and runs its handlers: `asio::io_context`, `asio::thread_pool`.
template <class Context>
concept execution_context = std::derived_from<Context, asio::execution_context> && requires(Context& c)
{
    {
        c.get_executor()
        } -> std::convertible_to<asio::any_io_executor>;
};

namespace detail {

struct client_access;

struct client_launch {
    std::weak_ptr<client_state> of;
    asio::any_io_executor get_executor() const noexcept;
};

struct run_launch : client_launch {
    void start(handler_at<void(error_code)>) &&;
};

struct ready_launch : client_launch {
    void start(handler_at<void(error_code)>) &&;
};

struct shutdown_launch : client_launch {
    std::chrono::milliseconds grace;
    void start(handler_at<void(error_code)>) &&;
};

}  // namespace detail

/// The I/O object: one multiplexed connection to one Redis or Valkey deployment, shared by every lock made from it.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe, except for construction and destruction. Handlers are called, as if
/// posted, on their associated executor, else on the client's; never on its internal strand.
///
/// @par Lifetimes
/// Must be destroyed before its execution context. Locks, leases, owners and operations made from it may outlive both:
/// they are inert then.
///
/// @par Example
/// @code
/// asio::io_context ioc;
/// holdfast::client client{ioc, {.url = "redis://localhost"}};
/// client.run(asio::detached);
/// asio::co_spawn(ioc, work(client), asio::detached);
/// ioc.run();
/// @endcode
class client {
public:
    using executor_type = asio::any_io_executor;

    /// Connects to nothing yet.
    ///
    /// @throws std::invalid_argument naming the bad option of `cfg`.
    client(executor_type executor, config cfg);

    template <execution_context Context>
    client(Context& context, config cfg) : client(executor_type(context.get_executor()), std::move(cfg))
    {}

    client(client&&) noexcept = default;
    client& operator=(client&&) = delete;

    /// Same as `stop()`.
    ~client();

    executor_type get_executor() const noexcept;

    /// The UUID that begins every holder id of this client on the server.
    std::string_view id() const noexcept;

    /// Connects, and connects again after each loss, until the client is stopped. Call it once, before any acquire.
    ///
    /// @par Completion
    /// With success after `stop()` or `shutdown()`; never for a server's reason.
    /// @par Errors
    /// - errc::already_running: it was called before
    /// - errc::client_stopped: the client had been stopped
    /// @par Cancellation
    /// Terminal, partial, total: as `stop()`, then `operation_aborted`.
    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto run(Token&& token = {})
    {
        return detail::initiate<void(error_code)>(detail::run_launch{{state_}}, std::forward<Token>(token));
    }

    /// Waits for a connection that commands can be sent on.
    ///
    /// @par Completion
    /// With success when connected, at once if it is.
    /// @par Errors
    /// - errc::not_permitted: wrong password, unknown user; `last_failure()` has the server's words
    /// - errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: ends with the error of the last attempt to connect, else `operation_aborted`.
    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto ready(Token&& token = {})
    {
        return detail::initiate<void(error_code)>(detail::ready_launch{{state_}}, std::forward<Token>(token));
    }

    /// Refuses new acquires, ends those that wait with errc::client_stopped, sends queued releases, waits for holders to
    /// release, then stops. What is still held after `grace` is marked lost, and its keys *expire*: nothing deletes a
    /// key under a running holder.
    ///
    /// @par Completion
    /// With success when the client is stopped.
    /// @par Errors
    /// - errc::invalid_option: `grace` is negative
    /// @par Cancellation
    /// Terminal, partial, total: stops at once, as `stop()`, then `operation_aborted`.
    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto shutdown(shutdown_options options, Token&& token = {})
    {
        return detail::initiate<void(error_code)>(
            detail::shutdown_launch{{state_}, options.grace}, std::forward<Token>(token));
    }

    template <token_for<void(error_code)> Token = asio::deferred_t>
    [[nodiscard]] auto shutdown(Token&& token = {})
    {
        return shutdown(shutdown_options{}, std::forward<Token>(token));
    }

    /// Stops at once: waiting acquires end with errc::client_stopped, leases become lost, nothing is deleted, keys
    /// expire. Idempotent.
    void stop() noexcept;

    /// A snapshot of the counters. Does not wait.
    holdfast::stats stats() const;

    /// The last error, in the server's words, with the name of the lock or the option. Control bytes are written as
    /// `\x0a`.
    failure last_failure() const;

    /// A new owner. The label, if given, is appended to the holder id on the server, as Redisson's transactional locks
    /// do; at most 64 bytes, no control characters.
    ///
    /// @throws std::invalid_argument for a bad label.
    owner make_owner(std::string_view label = {}) const;

    /// The one owner of the whole process: its tasks re-enter each other's locks on purpose.
    owner process_owner() const;

private:
    friend struct detail::client_access;
    friend struct detail::single_lock;

    explicit client(std::shared_ptr<detail::client_state> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<detail::client_state> state_;
};

}  // namespace holdfast

#endif
