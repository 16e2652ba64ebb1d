//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_WITH_LOCK_HPP
#define HOLDFAST_WITH_LOCK_HPP

#include <concepts>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/config.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

namespace holdfast {

namespace detail {

template <class>
inline constexpr bool is_awaitable = false;
template <class Result, class Executor>
inline constexpr bool is_awaitable<asio::awaitable<Result, Executor>> = true;

template <class Body>
using body_result = typename std::invoke_result_t<Body&, lease&>::value_type;

// How a body ended: with a value or with an exception; with neither if it was not started. An optional, because the
// value may have no default constructor.
template <class Result>
struct body_outcome {
    std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> value;
    std::exception_ptr error;
};

// Runs the body, unless the lease is lost already. It stores an exception and returns, because the group in
// guard_body() ends at the first success. The coroutines here are free functions, not lambdas: GCC 12 mishandles
// captures in coroutines.
template <class Result, class Body>
asio::awaitable<void> run_body(Body& body, lease& held, body_outcome<Result>& outcome)
{
    try {
        if (!held.valid())  // immediately before the body: the process may have been paused since the grant (rule 18)
            co_return;
        if constexpr (std::is_void_v<Result>) {
            co_await body(held);
            outcome.value.emplace();
        } else
            outcome.value.emplace(co_await body(held));
    } catch (...) {
        outcome.error = std::current_exception();
    }
}

// Turns every cancellation into a terminal one: coroutines of Asio ignore all other types, and the body must end.
struct to_terminal {
    asio::cancellation_type_t operator()(asio::cancellation_type_t type) const noexcept
    {
        return type == asio::cancellation_type::none ? type : asio::cancellation_type::terminal;
    }
};

// Runs the body to its end. A loss of the lease, or a cancellation from outside, cancels the body and waits for it; a
// release by the body itself does not. It runs on a strand, because the group cancels the body from the handler of
// `lost`, which a client on several threads calls on any of them.
template <class Result, class Body>
asio::awaitable<void> guard_body(Body& body, lease& held, body_outcome<Result>& outcome)
{
    auto const before = co_await asio::this_coro::cancellation_state;
    co_await asio::this_coro::reset_cancellation_state(to_terminal());
    co_await asio::this_coro::throw_if_cancelled(false);
    if (before.cancelled() != asio::cancellation_type::none)
        co_return;
    auto const strand = co_await asio::this_coro::executor;
    // Both operations are bound to the strand: otherwise a cancellation would not be emitted on it, and `lost` would
    // not complete on it.
    co_await asio::experimental::make_parallel_group(
        asio::co_spawn(
            strand, run_body<Result, Body>(body, held, outcome), asio::bind_executor(strand, asio::deferred)),
        held.lost(asio::bind_executor(strand, asio::deferred)))
        .async_wait(asio::experimental::wait_for_one_success(), asio::as_tuple(asio::use_awaitable));
}

struct with_lock_end {
    error_code acquire;  // why there is no lease
    error_code release;
    bool cancelled = false;  // from outside
    bool lost = false;
    std::exception_ptr error;  // of the body
    bool returned = false;     // the body returned
};

// Throws the exception with which `with_lock` ends; returns if it ends with the body's value. The message of an error
// of with_lock begins with the name of the lock. The library's own locks also know the words of the server.
BOOST_SYMBOL_VISIBLE void throw_unless_returned(with_lock_end const&, std::string_view name);
BOOST_SYMBOL_VISIBLE void throw_unless_returned(with_lock_end const&, any_lock const&);

template <class Lock>
void throw_unless_returned(with_lock_end const& end, Lock const& lock)
{
    if constexpr (std::convertible_to<Lock const&, any_lock>)
        throw_unless_returned(end, any_lock(lock));
    else
        throw_unless_returned(end, std::string_view(lock.name()));
}

template <class Lock, class Body>
auto run_with_lock(Lock lock, typename Lock::try_options options, Body body) -> std::invoke_result_t<Body&, lease&>
{
    using result = body_result<Body>;
    namespace this_coro = asio::this_coro;

    with_lock_end end;
    body_outcome<result> outcome;
    auto const is_cancelled = [](asio::cancellation_state const& s) {
        return s.cancelled() != asio::cancellation_type::none;
    };

    // From the grant to the end of the release a cancellation must not throw: the release would not be awaited.
    bool const throws = co_await this_coro::throw_if_cancelled();
    co_await this_coro::throw_if_cancelled(false);

    end.cancelled = is_cancelled(co_await this_coro::cancellation_state);
    if (!end.cancelled) {
        lease held;
        if (options.wait)
            held = co_await lock.try_acquire(options, asio::redirect_error(asio::use_awaitable, end.acquire));
        else
            held = co_await lock.acquire(without_wait(options), asio::redirect_error(asio::use_awaitable, end.acquire));
        if (!end.acquire && held.empty())
            end.acquire = errc::busy;

        end.cancelled = is_cancelled(co_await this_coro::cancellation_state);
        if (!end.acquire && !end.cancelled) {
            auto const strand = asio::make_strand(co_await this_coro::executor);
            co_await asio::co_spawn(strand, guard_body<result, Body>(body, held, outcome), asio::use_awaitable);
            end.returned = outcome.value.has_value();
            end.error = outcome.error;
            end.cancelled = is_cancelled(co_await this_coro::cancellation_state);
        }
        if (!held.empty()) {
            end.lost = !held.valid();
            // Without a slot: a cancelled caller waits for its release, too.
            co_await held.release(asio::bind_cancellation_slot(
                asio::cancellation_slot(), asio::redirect_error(asio::use_awaitable, end.release)));
        }
    }
    co_await this_coro::throw_if_cancelled(throws);

    throw_unless_returned<Lock>(end, lock);
    if constexpr (!std::is_void_v<result>)
        co_return std::move(*outcome.value);
}

// GCC 12 destroys the by-value captures of a temporary in a co_await expression twice, without a warning at -O2.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
template <class Body>
inline constexpr bool is_safe_body =
    std::is_lvalue_reference_v<Body> || std::is_trivially_destructible_v<std::remove_cvref_t<Body>>;
#else
template <class Body>
inline constexpr bool is_safe_body = true;
#endif

}  // namespace detail

/// A coroutine that runs while a lock is held: `asio::awaitable<T>(lease&)`.
template <class Body>
concept lock_body = requires(std::decay_t<Body>& body, lease& held)
{
    requires detail::is_awaitable<decltype(body(held))>;
};

/// Runs a body while it holds a lock: acquires the lock, runs the body, releases the lease, and waits for the release
/// in every case. It is a coroutine and must be awaited.
///
/// The body receives the lease. When the lease is lost, the body is cancelled (terminal) and awaited. The body may
/// release the lease itself; `with_lock` then only awaits the body.
///
/// @par On the server
/// As `acquire()` or, with `options.wait`, `try_acquire()`; then as `lease::release()`.
/// @par Completion
/// - The body returned, and the lease was released, or the outcome of the release is unknown: with the body's value.
///   The client repeats a release of unknown outcome in the background.
/// - The body threw while the lease was held: with its exception.
/// @par Errors
/// It throws them as `boost::system::system_error`. The text, `what()`, begins with the name of the lock, and contains
/// the name of an invalid option, or the server's error message unless the client has had another failure since.
/// - errc::busy: the lock was not acquired within `options.wait`. Without `wait` the wait has no limit; `wait = 0` is
///   one attempt
/// - errc::lease_lost: the lease was lost before the body ended, or before it began. The exception of the body is
///   nested, if there is one other than `operation_aborted`
/// - the errors of `acquire()` or, with `options.wait`, of `try_acquire()`
/// @par Cancellation
/// Terminal, or every type that the calling coroutine accepts. During the acquire: as `acquire()`. Later: the body is
/// cancelled (terminal) and awaited, then the release is awaited, for at most `config::command_timeout`. Then
/// `operation_aborted` is thrown.
/// @par Lifetimes
/// The coroutine copies or moves the lock and the body.
/// @par Thread safety
/// The body runs on a strand of its own over the executor of the calling coroutine; `asio::this_coro::executor` is that
/// strand in the body. So the caller needs no strand, even on an `asio::thread_pool`. The lock does not make memory
/// visible to other threads of the process: data that the body shares with other coroutines needs a strand or a mutex.
/// The caller continues on its own executor. As always with Asio, emit a cancellation only on the executor of the
/// calling coroutine.
/// @par Compiler trap
/// With GCC before 13, a body that is not trivially destructible must be named, or capture by reference, because the
/// compiler destroys a temporary twice. A `static_assert` reports it.
/// @par Example
/// @code
/// int left = co_await holdfast::with_lock(lock, [&](holdfast::lease& lease) -> asio::awaitable<int> {
///     co_return co_await take_one(db, lease.fencing_token());
/// });
/// @endcode
template <async_lock Lock, lock_body Body>
[[nodiscard]] auto with_lock(Lock lock, typename Lock::try_options options, Body&& body)
{
    static_assert(
        detail::is_safe_body<Body>,
        "this GCC destroys captured objects of a temporary in a co_await expression twice: capture by reference, or "
        "name the body first");
    return detail::run_with_lock<Lock, std::decay_t<Body>>(std::move(lock), options, std::forward<Body>(body));
}

/// The same with default options: the wait has no limit.
template <async_lock Lock, lock_body Body>
[[nodiscard]] auto with_lock(Lock lock, Body&& body)
{
    return with_lock(std::move(lock), typename Lock::try_options{}, std::forward<Body>(body));
}

}  // namespace holdfast

#endif
