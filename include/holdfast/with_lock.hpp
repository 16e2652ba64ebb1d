//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_WITH_LOCK_HPP
#define HOLDFAST_WITH_LOCK_HPP

#include <concepts>
#include <exception>
#include <future>
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
#include <holdfast/diagnostics.hpp>
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

namespace holdfast {

namespace detail {

template <class>
inline constexpr bool is_awaitable = false;
template <class Result, class Executor>
inline constexpr bool is_awaitable<asio::awaitable<Result, Executor>> = true;

template <class Awaitable>
struct awaitable_signature;
template <class Result, class Executor>
struct awaitable_signature<asio::awaitable<Result, Executor>> {
    using type = void(std::exception_ptr, Result);
};
template <class Executor>
struct awaitable_signature<asio::awaitable<void, Executor>> {
    using type = void(std::exception_ptr);
};

// Of a body, or of another function that makes a coroutine of an argument.
template <class Body, class Argument = lease&>
using body_awaitable = std::invoke_result_t<Body&, Argument>;
template <class Body>
using body_result = typename body_awaitable<Body>::value_type;
template <class Body>
using body_executor = typename body_awaitable<Body>::executor_type;
template <class Body, class Argument = lease&>
using body_signature = typename awaitable_signature<body_awaitable<Body, Argument>>::type;

// Waits until the body should end: as `lease::lost()`, and when `client::shutdown()` asks bodies to end, with
// loss::client_stopped.
BOOST_SYMBOL_VISIBLE void start_stopping(handler_at<void(error_code, loss)>, lease_ptr);

// How a body ended: with a value or with an exception; with neither if it was not started. An optional, because the
// value may have no default constructor.
template <class Result>
struct body_outcome {
    std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> value;
    std::exception_ptr error;
    bool was_asked_to_stop = false;  // by client::shutdown()
};

// Runs the body, unless the lease is lost already. It stores an exception and returns, because the group in
// guard_body() ends at the first success. The coroutines here are free functions, not lambdas: GCC 12 mishandles
// captures in coroutines.
template <class Result, class Executor, class Body>
asio::awaitable<void, Executor> run_body(Body& body, lease& held, body_outcome<Result>& outcome)
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

// Runs the body to its end. A loss of the lease, a shutdown of the client, or a cancellation from outside, cancels the
// body and waits for it; a release by the body itself does not. It runs on a strand, because the group cancels the body
// from the handler of `stop`, which a client on several threads calls on any of them.
template <class Result, class Executor, class Body>
asio::awaitable<void, Executor> guard_body(Body& body, lease& held, body_outcome<Result>& outcome)
{
    auto const before = co_await asio::this_coro::cancellation_state;
    co_await asio::this_coro::reset_cancellation_state(to_terminal());
    co_await asio::this_coro::throw_if_cancelled(false);
    if (before.cancelled() != asio::cancellation_type::none)
        co_return;
    auto const strand = co_await asio::this_coro::executor;
    // Both operations are bound to the strand: otherwise a cancellation would not be emitted on it, and `stop` would
    // not complete on it.
    auto stop = initiate(start_stopping, asio::bind_executor(strand, asio::deferred), pointer_to(held));
    auto const ended = co_await asio::experimental::make_parallel_group(
                           asio::co_spawn(
                               strand,
                               run_body<Result, Executor, Body>(body, held, outcome),
                               asio::bind_executor(strand, asio::deferred)),
                           std::move(stop))
                           .async_wait(
                               asio::experimental::wait_for_one_success(),
                               asio::as_tuple(asio::use_awaitable_t<Executor>()));
    // <0> is the order in which they ended, <2> and <3> are the results of `stop`.
    outcome.was_asked_to_stop = std::get<0>(ended)[0] == 1 && !std::get<2>(ended)
                                && std::get<3>(ended) == loss::client_stopped;
}

// A strand that ends the process without memory: one of Asio would lose what it cannot queue, and with it the coroutine.
BOOST_SYMBOL_VISIBLE asio::any_io_executor make_body_strand(asio::any_io_executor const&);

// The strand of a body. An executor type that cannot hold a strand is used as it is.
template <class Executor>
Executor strand_over(Executor const& e)
{
    if constexpr (std::same_as<Executor, asio::any_io_executor>)
        return make_body_strand(e);
    else if constexpr (std::constructible_from<Executor, asio::strand<Executor>>)
        return Executor(asio::make_strand(e));
    else
        return e;
}

struct with_lock_end {
    error_code acquire;  // why there is no lease
    diagnostics text;    // of that error
    error_code release;
    bool cancelled = false;  // from outside
    bool lost = false;
    bool asked_to_stop = false;  // by client::shutdown()
    std::exception_ptr error;    // of the body
    bool returned = false;       // the body returned
};

// Throws the exception with which `with_lock` ends; returns if it ends with the body's value. The message of an error
// of with_lock begins with the name of the lock.
BOOST_SYMBOL_VISIBLE void throw_unless_returned(with_lock_end const&, std::string_view name);

template <class Lock, class Body>
auto run_with_lock(Lock lock, typename Lock::try_options options, Body body) -> body_awaitable<Body>
{
    using result = body_result<Body>;
    using executor = body_executor<Body>;
    using use_awaitable = asio::use_awaitable_t<executor>;
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
        auto const token = bind_diagnostics(end.text, asio::redirect_error(use_awaitable(), end.acquire));
        if (options.wait)
            held = co_await lock.try_acquire(options, token);
        else
            held = co_await lock.acquire(without_wait(options), token);
        if (!end.acquire && held.empty())
            end.acquire = errc::busy;

        end.cancelled = is_cancelled(co_await this_coro::cancellation_state);
        if (!end.acquire && !end.cancelled) {
            auto const strand = strand_over<executor>(co_await this_coro::executor);
            co_await asio::co_spawn(strand, guard_body<result, executor, Body>(body, held, outcome), use_awaitable());
            end.returned = outcome.value.has_value();
            end.error = outcome.error;
            end.asked_to_stop = outcome.was_asked_to_stop;
            end.cancelled = is_cancelled(co_await this_coro::cancellation_state);
        }
        // A cancelled caller waits for nothing any more: the destructor queues the release.
        if (!held.empty() && !end.cancelled) {
            end.lost = !held.valid();
            // Without a slot: a cancellation from here on ends neither the release nor the wait for it.
            co_await held.release(asio::bind_cancellation_slot(
                asio::cancellation_slot(), asio::redirect_error(use_awaitable(), end.release)));
        }
    }
    co_await this_coro::throw_if_cancelled(throws);

    throw_unless_returned(end, std::string_view(lock.name()));
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

// The result of an initiation with which no co_await expression is possible, so that the trap does not exist.
template <class Result>
inline constexpr bool is_never_awaited = std::is_void_v<Result>;
template <class Result>
inline constexpr bool is_never_awaited<std::future<Result>> = true;

// Starts with_lock() for a completion token. asio::cancel_after and similar adapters run their timer on the executor of
// the initiation: on the strand it runs one after the other with the coroutine that it cancels, and with its completion.
template <class Lock, class Body, class Token>
auto spawn_with_lock(Lock lock, typename Lock::try_options options, Body body, Token&& token)
{
    asio::any_io_executor const strand = make_body_strand(lock.get_executor());
    return asio::co_spawn(
        strand, run_with_lock<Lock, Body>(std::move(lock), options, std::move(body)), std::forward<Token>(token));
}

// Not for a temporary in a co_await expression. `Started` is the result of the initiation.
template <class Body, class Started>
constexpr void check_body()
{
    static_assert(
        is_safe_body<Body> || is_never_awaited<Started>,
        "this GCC destroys captured objects of a temporary in a co_await expression twice: capture by reference, or "
        "name the body first");
}

}  // namespace detail

/// A coroutine that runs while a lock is held: `asio::awaitable<T>(lease&)`, of any executor.
template <class Body>
concept lock_body = requires(std::decay_t<Body>& body, lease& held)
{
    requires detail::is_awaitable<decltype(body(held))>;
};

/// Runs a body while it holds a lock: acquires the lock, runs the body, releases the lease, and waits for the release.
/// It is a coroutine and must be awaited.
///
/// The body receives the lease. When the lease is lost, or `client::shutdown()` asks bodies to end, the body is
/// cancelled (terminal) and awaited. The body may release the lease itself; `with_lock` then only awaits the body.
///
/// @par Time limits
/// `options.wait` limits the acquire, `options.max_hold` the body, and `asio::cancel_after` with the overload that has
/// a completion token, or a cancellation of the calling coroutine, both together. Neither option needs a strand;
/// the overload states what `asio::cancel_after` needs.
///
/// @par On the server
/// As `acquire()` or, with `options.wait`, `try_acquire()`; then as `lease::release()`.
/// @par Completion
/// - The body returned, and the release has ended: with the body's value, whatever the result of the release is, except
///   errc::lease_lost. The client repeats a release of unknown outcome in the background; a key that the server refused
///   to delete expires.
/// - The body threw while the lease was held: with its exception.
/// @par Errors
/// It throws them as @ref holdfast::error. The text, `what()`, begins with the name of the lock, and contains the name
/// of an invalid option, or the server's error message.
/// - errc::busy: the lock was not acquired within `options.wait`. Without `wait` the wait has no limit; `wait = 0` is
///   one attempt
/// - errc::lease_lost: the lease was lost before the body ended, or before it began. The exception of the body is
///   nested, if there is one other than `operation_aborted`
/// - errc::client_stopped: `client::shutdown()` cancelled the body, and it ended with `operation_aborted`
/// - the errors of `acquire()` or, with `options.wait`, of `try_acquire()`
/// @par Cancellation
/// Terminal, or every type that the calling coroutine accepts. During the acquire: as `acquire()`. Later: the body is
/// cancelled (terminal) and awaited. Then `operation_aborted` is thrown, and the release is queued as by the destructor
/// of a lease: a caller whose time is over does not wait for the server. A body that wants to know the outcome of the
/// release calls `lease::release()` itself.
/// @par Lifetimes
/// The coroutine copies or moves the lock and the body.
/// @par Thread safety
/// The body runs on a strand of its own over the executor of the calling coroutine; `asio::this_coro::executor` is that
/// strand in the body. So the caller needs no strand, even on an `asio::thread_pool`. Only if the awaitable of the body
/// has an executor type that cannot hold a strand, such as that of an `asio::io_context`, the body runs on the executor
/// itself, which must then not run on several threads. The lock does not make memory visible to other threads of the
/// process: data that the body shares with other coroutines needs a strand or a mutex. The caller continues on its own
/// executor. As always with Asio, emit a cancellation only on the executor of the calling coroutine.
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
    using started = detail::body_awaitable<std::decay_t<Body>>;
    detail::check_body<Body, started>();
    return detail::run_with_lock<Lock, std::decay_t<Body>>(std::move(lock), options, std::forward<Body>(body));
}

/// The same with default options: the wait has no limit.
template <async_lock Lock, lock_body Body>
[[nodiscard]] auto with_lock(Lock lock, Body&& body)
{
    return with_lock(std::move(lock), typename Lock::try_options{}, std::forward<Body>(body));
}

/// The same for every completion token, also outside of coroutines: `void(std::exception_ptr, T)`, without the `T` if
/// the body's result is `void`. All of it runs on a strand over the executor of the lock, and so does the handler if it
/// has no associated executor. The awaitable of the body must have the default executor, `asio::any_io_executor`.
///
/// @par Thread safety
/// The timer of `asio::cancel_after` runs on that strand, too, so such a deadline is safe on several threads, unless it
/// ends before this call has returned. A handler that is bound to another executor, or a coroutine that awaits this on
/// another one, needs an executor that serialises it with the strand: there use `options.wait` and `options.max_hold`.
/// @par Cancellation
/// Terminal.
/// @par Example
/// @code
/// holdfast::with_lock(lock, {.wait = 1s}, work, asio::cancel_after(10s, [](std::exception_ptr e) { report(e); }));
/// @endcode
template <async_lock Lock, lock_body Body, token_for<detail::body_signature<std::decay_t<Body>>> Token>
auto with_lock(Lock lock, typename Lock::try_options options, Body&& body, Token&& token)
{
    using started = decltype(detail::spawn_with_lock<Lock, std::decay_t<Body>>(
        std::move(lock), options, std::forward<Body>(body), std::forward<Token>(token)));
    detail::check_body<Body, started>();
    return detail::spawn_with_lock<Lock, std::decay_t<Body>>(
        std::move(lock), options, std::forward<Body>(body), std::forward<Token>(token));
}

/// The same with default options.
template <async_lock Lock, lock_body Body, token_for<detail::body_signature<std::decay_t<Body>>> Token>
auto with_lock(Lock lock, Body&& body, Token&& token)
{
    return with_lock(
        std::move(lock), typename Lock::try_options{}, std::forward<Body>(body), std::forward<Token>(token));
}

}  // namespace holdfast

#endif
