//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LATCH_HPP
#define HOLDFAST_LATCH_HPP

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>

namespace holdfast {

/// Options of `latch::wait()`. An invalid value makes it complete with errc::invalid_option.
struct latch_wait_options {
    /// How long to wait. Without a value the wait has no limit; 0 asks the server once. Must not be negative.
    std::optional<std::chrono::milliseconds> wait = {};

    /// As in @ref acquire_options.
    bool require_connection = false;
};
static_assert(std::is_trivially_copyable_v<latch_wait_options>);

namespace detail {

BOOST_SYMBOL_VISIBLE void start_latch_set(handler_at<void(error_code, bool)>, lock_ptr, unsigned count);
BOOST_SYMBOL_VISIBLE void start_count_down(handler_at<void(error_code, unsigned)>, lock_ptr, unsigned by);
BOOST_SYMBOL_VISIBLE void start_latch_count(handler_at<void(error_code, unsigned)>, lock_ptr);
BOOST_SYMBOL_VISIBLE void start_latch_remove(handler_at<void(error_code, bool)>, lock_ptr);
BOOST_SYMBOL_VISIBLE void start_latch_wait(handler_at<void(error_code, bool)>, lock_ptr, latch_wait_options);

}  // namespace detail

/// A count that tasks of any process lower, and for whose end any process waits: the start of a service after its
/// parts, the end of a batch after its workers.
///
/// A latch that does not exist is **open**: call `set()` before its name is given to those that wait. So a latch is open,
/// too, when the server has lost its data. One latch is for one use: give each batch a latch of its own. A latch that
/// will not open is removed, so that waiters tell a batch that was called off from one that is done.
///
/// @par On the server
/// The format of Redisson's RCountDownLatch: a STRING under the name with the count, which is deleted at 0, and
/// messages on the channel `redisson_countdownlatch__channel__{name}`. Only Holdfast uses the STRING
/// `holdfast_latch:{name}`, which says which latch of that name it is and whether that was removed, and the HASH
/// `holdfast_latch_steps:{name}` of the calls that were counted. What Holdfast creates expires a day after the last use; a
/// `wait()` is a use as long as it lasts.
/// @par Thread safety
/// A handle is an immutable value: any thread may use it. It may be destroyed while its operations are under way.
///
/// @par Example
/// @code
/// holdfast::latch parts{client, "parts of 2026-11-24"};
/// co_await parts.set(3);          // before the workers are started
/// co_await parts.wait();          // each worker calls parts.count_down()
/// @endcode
class BOOST_SYMBOL_VISIBLE latch {
public:
    /// The executor on which operations complete whose handler has none.
    using executor_type = asio::any_io_executor;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    latch(client const&, std::string_view name);

    /// The client's executor; the system executor if the client was destroyed or its execution context has ended.
    executor_type get_executor() const noexcept { return detail::executor_of(state_); }

    /// The name, without the client's prefix. The view is valid while a copy of this handle exists.
    std::string_view name() const noexcept;

    /// Closes the latch, with that count. Changes nothing if it is closed already. After a `remove()` it begins a new
    /// latch: those that waited for the former one complete as errc::latch_removed all the same.
    ///
    /// @par On the server
    /// One script.
    /// @par Completion
    /// With true if it was open or removed, with false if it is closed already, or with an error, within
    /// `config::command_timeout`.
    /// @par Errors
    /// - errc::invalid_option: `count` is 0
    /// - errc::wrong_type: a key is not that of a latch
    /// - errc::unavailable: no reply within `config::command_timeout`, and the latch may be closed; or the server
    ///   cannot execute the script now
    /// - errc::server_refused, errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running,
    ///   errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto set(unsigned count, Token&& token = {}) const
    {
        return detail::initiate(detail::start_latch_set, std::forward<Token>(token), state_, count);
    }

    /// Lowers the count by `by`, to 0 if less is left. At 0 the latch opens, and all that wait for it are notified. One
    /// call counts once: the client repeats the script after a lost reply, and the server knows the call again, until
    /// the latch is set anew. A second call after errc::unavailable may count a second time.
    ///
    /// @par On the server
    /// One script; once more after each lost reply.
    /// @par Completion
    /// With what is left, 0 also if the latch was open or removed, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::invalid_option: `by` is 0
    /// - errc::wrong_type: a key is not that of a latch
    /// - errc::unavailable: no reply within `config::command_timeout`, and the count may have been lowered; or the
    ///   server cannot execute the script now
    /// - errc::server_refused, errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running,
    ///   errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    template <token_for<void(error_code, unsigned)> Token = default_token>
    [[nodiscard]] auto count_down(unsigned by, Token&& token = {}) const
    {
        return detail::initiate(detail::start_count_down, std::forward<Token>(token), state_, by);
    }

    /// The same, by 1.
    template <token_for<void(error_code, unsigned)> Token = default_token>
    [[nodiscard]] auto count_down(Token&& token = {}) const
    {
        return count_down(1, std::forward<Token>(token));
    }

    /// Reads what is left to count; 0 if the latch is open or was removed.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Completion
    /// With the count, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: a key is not that of a latch
    /// - errc::unavailable: no reply within `config::command_timeout`, or the server cannot execute the script now
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, unsigned)> Token = default_token>
    [[nodiscard]] auto count(Token&& token = {}) const
    {
        return detail::initiate(detail::start_latch_count, std::forward<Token>(token), state_);
    }

    /// Removes the latch before it opens: what it counts was called off. Changes nothing if it is open. All that wait for
    /// it complete with errc::latch_removed, and so does each `wait()` that begins later, until the latch is set again, or
    /// for a day. A `count_down()` changes nothing any more. It is called `delete` in Redisson: see docs/latch.md for its
    /// clients.
    ///
    /// @par On the server
    /// One script, which is sent once.
    /// @par Completion
    /// With true if it was closed, with false if it is open or was removed before, or with an error, within
    /// `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: a key is not that of a latch
    /// - errc::unavailable: no reply within `config::command_timeout`, and the latch may be removed; or the server cannot
    ///   execute the script now
    /// - errc::server_refused, errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running,
    ///   errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`. A script that was sent may take effect.
    /// @par Example
    /// @code
    /// co_await parts.remove();  // one part has failed
    /// auto const [ec, open] = co_await parts.wait(asio::as_tuple);
    /// if (ec == holdfast::errc::latch_removed)
    ///     co_return;            // in the tasks that wait for all parts
    /// @endcode
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto remove(Token&& token = {}) const
    {
        return detail::initiate(detail::start_latch_remove, std::forward<Token>(token), state_);
    }

    /// Waits until the latch is open, or was open at any time since the wait began. A latch that was
    /// removed ends the wait with an error: since the wait began, or before, if it was not set again.
    ///
    /// @par On the server
    /// One subscription for all waiters of this client, and a script that reads the count: at the beginning, after each
    /// message, on a new connection, and at least once in `config::poll_interval`; once a second if the server permits
    /// no subscription.
    /// @par Completion
    /// With true when the latch is open. With false if `options.wait` is over, and it is closed.
    /// @par Errors
    /// - errc::latch_removed: the latch was removed
    /// - errc::invalid_option: `options.wait` is negative
    /// - errc::wrong_type: a key is not that of a latch
    /// - errc::unavailable: `options.wait` is over, at the earliest after `config::command_timeout`, and the client
    ///   could not read the count; or there is no connection, and `options.require_connection` is set. Otherwise, without
    ///   a limit, an outage is no error
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`, and leaves nothing on the server.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto wait(latch_wait_options options, Token&& token = {}) const
    {
        return detail::initiate(detail::start_latch_wait, std::forward<Token>(token), state_, options);
    }

    /// The same without a limit.
    template <token_for<void(error_code, bool)> Token = default_token>
    [[nodiscard]] auto wait(Token&& token = {}) const
    {
        return wait(latch_wait_options{}, std::forward<Token>(token));
    }

private:
    std::shared_ptr<detail::lock_impl const> state_;
};

}  // namespace holdfast

#endif
