//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_WITH_LOCK_HPP
#define HOLDFAST_WITH_LOCK_HPP

#include <exception>
#include <optional>
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

// How a body ended, if it was started: with a value, which need not have a default constructor, or an exception.
template <class Result>
struct body_outcome {
    std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> value;
    std::exception_ptr error;
};

// Free functions, not lambdas: GCC 12 mishandles captures in coroutines.
template <class Result, class Body>
asio::awaitable<void> run_body(Body& body, lease& held, body_outcome<Result>& outcome)
{
    try {
        if (!held.valid())  // immediately before the body: the process may have been paused since the grant
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

// Every cancellation ends the body: asio's coroutines ignore all types but the terminal one.
struct to_terminal {
    asio::cancellation_type_t operator()(asio::cancellation_type_t type) const noexcept
    {
        return type == asio::cancellation_type::none ? type : asio::cancellation_type::terminal;
    }
};

// Runs the body to its end. A loss of the lease, or a cancellation from outside, cancels it and waits for it; a release
// by the body itself does not. Runs on a strand: the group cancels the body from the handler of `lost`, and the client
// calls that on any of its threads.
template <class Result, class Body>
asio::awaitable<void> guard_body(Body& body, lease& held, body_outcome<Result>& outcome)
{
    auto const before = co_await asio::this_coro::cancellation_state;
    co_await asio::this_coro::reset_cancellation_state(to_terminal());
    co_await asio::this_coro::throw_if_cancelled(false);
    if (before.cancelled() != asio::cancellation_type::none)
        co_return;
    auto const strand = co_await asio::this_coro::executor;
    // Each bound to it: else a cancellation would not come by way of the strand, and `lost` not end on it.
    co_await asio::experimental::make_parallel_group(
        asio::co_spawn(
            strand, run_body<Result, Body>(body, held, outcome), asio::bind_executor(strand, asio::deferred)),
        held.lost(asio::bind_executor(strand, asio::deferred)))
        .async_wait(asio::experimental::wait_for_one_success(), asio::as_tuple(asio::use_awaitable));
}

struct with_lock_end {
    error_code acquire;  // why there was no lease
    error_code release;
    bool cancelled = false;  // from outside
    bool lost = false;
    std::exception_ptr error;  // of the body
    bool returned = false;     // the body did
};

// Throws what `with_lock` ends with, unless that is the body's value.
void throw_unless_returned(with_lock_end const&);

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

    // From the grant to the end of the release nothing may throw us off.
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
            co_await held.release(asio::bind_cancellation_slot(
                asio::cancellation_slot(), asio::redirect_error(asio::use_awaitable, end.release)));
        }
    }
    co_await this_coro::throw_if_cancelled(throws);

    throw_unless_returned(end);
    if constexpr (!std::is_void_v<result>)
        co_return std::move(*outcome.value);
}

// GCC 12 destroys by-value captures of a temporary in a co_await expression twice, silently at -O2.
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

/// Runs a body while holding a lock: acquires, runs it, releases and awaits the release, whatever happens. A coroutine,
/// to be awaited; lock and body are taken by value.
///
/// The body gets the lease. When the lease is lost, the body is cancelled (terminal) and awaited. It may release the
/// lease itself; the lock is then no concern of `with_lock` any more.
///
/// @par On the server
/// As `acquire()` and `lease::release()`.
/// @par Completion
/// - the body returned, and the lease was released or the release is unknown (it goes on): with its value
/// - it threw while the lease was held: with its exception
/// @par Errors
/// Thrown as `boost::system::system_error`.
/// - errc::busy: the lock was not had within `options.wait`. Without `wait` it waits as long as it takes, with
///   `wait = 0` for one attempt
/// - errc::lease_lost: the lease was lost before the body ended, or before it began. If the body threw, its exception is
///   nested (not when that was `operation_aborted`)
/// - what `acquire()` ends with
/// @par Cancellation
/// Terminal (or what the calling coroutine lets through): while waiting for the lock, as `acquire()`; later the body is
/// cancelled (terminal) and awaited, the release is awaited up to `config::command_timeout`, then `operation_aborted` is
/// thrown.
/// @par Thread safety
/// The body runs on a strand of its own over the calling coroutine's executor, which `asio::this_coro::executor` names
/// in it. So the caller needs no strand: a bare `asio::thread_pool` will do. What the body shares with other coroutines
/// needs a protection that the lock does not give to threads of one process. The caller goes on on its own executor.
/// Only cancel a calling coroutine from its own executor, as any other.
/// @par Compiler trap
/// With GCC before 13 a body that is not trivially destructible must be named, or capture by reference: the compiler
/// destroys it twice otherwise. A `static_assert` says so.
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

template <async_lock Lock, lock_body Body>
[[nodiscard]] auto with_lock(Lock lock, Body&& body)
{
    return with_lock(std::move(lock), typename Lock::try_options{}, std::forward<Body>(body));
}

}  // namespace holdfast

#endif
