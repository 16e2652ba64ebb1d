//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_HPP
#define HOLDFAST_CLIENT_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <holdfast/config.hpp>
#include <holdfast/detail/abi.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fwd.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/stats.hpp>

namespace holdfast {

/// An execution context with an executor: `asio::io_context`, `asio::thread_pool`.
template <class Context>
concept execution_context = std::derived_from<Context, asio::execution_context> && requires(Context& c)
{
    {
        c.get_executor()
        } -> std::convertible_to<asio::any_io_executor>;
};

namespace detail {

struct client_access;

// The operations of a client have a weak reference to it: they may start after it was destroyed.
using client_ptr = std::weak_ptr<client_state>;

BOOST_SYMBOL_VISIBLE asio::any_io_executor executor_of(client_ptr const&) noexcept;
BOOST_SYMBOL_VISIBLE client_ptr pointer_to(client&) noexcept;  // for the tool
BOOST_SYMBOL_VISIBLE void start_run(handler_at<void(error_code)>, client_ptr);
BOOST_SYMBOL_VISIBLE void start_ready(handler_at<void(error_code)>, client_ptr);
BOOST_SYMBOL_VISIBLE void start_shutdown(handler_at<void(error_code, std::size_t)>, client_ptr, shutdown_options);

}  // namespace detail

/// The I/O object: one multiplexed connection to one Redis or Valkey deployment, which all locks of the client share.
/// To a Redis Cluster it has one for the slots, and one to each primary that it uses. With `config::acknowledged_by` it
/// has a second one to each server that grants.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: safe, except for construction and destruction. Handlers are called, as if
/// posted, on their associated executor, else on the client's; never on its internal strand. That strand, over the
/// client's executor, is what this reference calls the client's strand.
///
/// @par Lifetimes
/// The client must be destroyed before its execution context. Locks, leases, owners and operations that were made from
/// it may outlive both: they do nothing then. A client that was moved from may only be destroyed.
///
/// @par Without memory
/// The call that starts an operation throws `std::bad_alloc` when there is no memory for it; the operation has not begun
/// then. Elsewhere in the client the process ends, after a line on standard error: see docs/threads.md.
///
/// @par Forks
/// Only the process that made a client uses its connection. In a forked child the client sends nothing: its leases are
/// not valid there and their destructors do nothing, and its operations complete with errc::client_stopped. If the child
/// runs the execution context, the program must call `notify_fork()` of the context, as Asio requires.
///
/// @par Example
/// @code
/// asio::io_context ioc;
/// holdfast::client client{ioc, {.url = "redis://localhost"}};
/// client.run(asio::detached);
/// asio::co_spawn(ioc, work(client), asio::detached);   // ends with co_await client.shutdown()
/// ioc.run();                                           // returns when the client is stopped
/// @endcode
class BOOST_SYMBOL_VISIBLE client {
public:
    /// The executor that the client was made with.
    using executor_type = asio::any_io_executor;

    /// Checks the options, and reads the files of `config::tls`. Sends nothing: `run()` connects.
    ///
    /// @throws std::invalid_argument if an option is invalid; the message begins with its name.
    client(executor_type executor, config cfg);

    /// The same with the executor of a context.
    template <execution_context Context>
    client(Context& context, config cfg) : client(executor_type(context.get_executor()), std::move(cfg))
    {}

    /// The client that was moved from may only be destroyed.
    client(client&&) noexcept = default;
    client& operator=(client&&) = delete;

    /// Calls `stop()`. Never blocks or throws.
    ~client();

    /// The executor that was given; the system executor if its execution context has ended.
    executor_type get_executor() const noexcept;

    /// The UUID with which every holder id of this client on the server begins. The view is valid while the client
    /// exists. In a forked child it is still the id of the parent's client.
    std::string_view id() const noexcept;

    /// Connects to the server, and again after each loss of the connection, until the client is stopped. Call it once,
    /// before the first acquire.
    ///
    /// @par On the server
    /// For each connection: HELLO, with AUTH and SETNAME; SELECT if the URL has a database; INFO; CLUSTER SLOTS and
    /// CLUSTER MYID in a Redis Cluster; CLIENT KILL of the connection before.
    /// @par Completion
    /// With success after `stop()` or `shutdown()`. No error of the server or the network ends it.
    /// @par Errors
    /// - errc::already_running: it was called before
    /// - errc::client_stopped: the client was stopped or destroyed before, or its execution context has ended
    /// @par Cancellation
    /// Terminal, partial, total: stops the client as `stop()` does, and completes with `operation_aborted`.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto run(Token&& token = {})
    {
        return detail::initiate(detail::start_run, std::forward<Token>(token), state_);
    }

    /// Waits until the client has a connection on which it can send commands. If `run()` was not called yet, it waits
    /// for that, too. The wait has no limit: while the server cannot be reached, the client tries again.
    ///
    /// @par On the server
    /// Nothing is sent.
    /// @par Completion
    /// With success when the client is connected; at once if it is connected already.
    /// @par Errors
    /// - errc::not_permitted: the server does not accept this client, for example because of a wrong password or an
    ///   unknown user; the @ref diagnostics have its error message
    /// - errc::protocol: the server cannot be used, for example because it does not speak RESP3
    /// - errc::client_stopped: the client was stopped or destroyed, or its execution context has ended
    /// - those of a cancellation
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with the error of the last attempt to connect, or of the end of the
    /// last connection, which is the reason why there is none: errc::unavailable, errc::server_refused, errc::protocol,
    /// or an error of the network, of TLS or of Boost.Redis, such as `asio::error::connection_refused` or
    /// `asio::error::timed_out`. With errc::not_running if `run()` was not called; else with `operation_aborted` if there
    /// is no such error.
    template <token_for<void(error_code)> Token = default_token>
    [[nodiscard]] auto ready(Token&& token = {})
    {
        return detail::initiate(detail::start_ready, std::forward<Token>(token), state_);
    }

    /// Stops the client when its leases are released. Acquires that wait, new acquires and new queries complete with
    /// errc::client_stopped. The bodies of @ref with_lock and @ref lead are cancelled at once, or after
    /// `options.cancel_after`. The client sends the releases that are queued, and waits until the holders have released
    /// their leases, which are renewed meanwhile. Leases that are still held after `options.grace` become lost.
    ///
    /// @par On the server
    /// The releases. The keys of leases that become lost *expire*: nothing deletes a key under a running holder.
    /// @par Completion
    /// With success when the client is stopped, after `options.grace` at the latest; at once if it was stopped before,
    /// or if `run()` was not called. The result, also of a cancelled call, is the number of leases that were not
    /// released, one for each re-entry and each member of a composite lock: their keys expire. `stats().abandoned` is
    /// the same number.
    /// @par Errors
    /// - errc::invalid_option: `grace` or `cancel_after` is negative; nothing happens
    /// - errc::client_stopped: the client was destroyed before, or its execution context has ended
    /// @par Cancellation
    /// Terminal, partial, total: stops the client at once, as `stop()` does, and completes with `operation_aborted`.
    template <token_for<void(error_code, std::size_t)> Token = default_token>
    [[nodiscard]] auto shutdown(shutdown_options options, Token&& token = {})
    {
        return detail::initiate(detail::start_shutdown, std::forward<Token>(token), state_, options);
    }

    /// The same with the default options.
    template <token_for<void(error_code, std::size_t)> Token = default_token>
    [[nodiscard]] auto shutdown(Token&& token = {})
    {
        return shutdown(shutdown_options{}, std::forward<Token>(token));
    }

    /// Stops the client, on its strand, perhaps after this call has returned: acquires that wait complete with
    /// errc::client_stopped, and leases become lost. Sends nothing, so the keys expire. Never blocks. Idempotent.
    /// Allocates as the destructor of a lease does: on an `io_context` or a `thread_pool`, not at all.
    void stop() noexcept;

    /// Reads the counters. Never blocks, sends nothing.
    holdfast::stats stats() const;

    /// The last error: the server's error message, or the name of the invalid option, with the name of the lock.
    /// Control bytes are written as `\x0a`.
    failure last_failure() const;

    /// Makes a new owner. The label, if there is one, is appended to the holder id on the server, as by Redisson's
    /// transactional locks. It has at most 64 bytes and no control characters.
    ///
    /// @throws std::invalid_argument if the label is invalid.
    owner make_owner(std::string_view label = {}) const;

    /// The owner of the whole process, always the same one. Its tasks re-enter each other's locks on purpose.
    owner process_owner() const;

private:
    friend struct detail::client_access;
    friend struct detail::single_lock;

    explicit client(std::shared_ptr<detail::client_state> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<detail::client_state> state_;
};

}  // namespace holdfast

#endif
