//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEAD_HPP
#define HOLDFAST_LEAD_HPP

#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/config.hpp>

#include <holdfast/election.hpp>
#include <holdfast/with_lock.hpp>

namespace holdfast {

namespace detail {

BOOST_SYMBOL_VISIBLE candidate make_candidate(election const&, std::string_view value, int priority);
BOOST_SYMBOL_VISIBLE leadership to_leadership(lease) noexcept;
BOOST_SYMBOL_VISIBLE lease take_lease(leadership&) noexcept;

// The leadership of a body: gives the lease back when the body ends, however it ends, for with_lock() to release it.
struct borrowed_leadership {
    explicit borrowed_leadership(lease& l) noexcept : from(l), me(to_leadership(std::move(l))) {}
    borrowed_leadership(borrowed_leadership const&) = delete;
    borrowed_leadership& operator=(borrowed_leadership const&) = delete;
    ~borrowed_leadership() { from = take_lease(me); }

    lease& from;
    leadership me;
};

template <class Body>
auto run_leading(Body& body, lease& held) -> body_awaitable<Body, leadership&>
{
    borrowed_leadership borrowed(held);
    co_return co_await body(borrowed.me);
}

// The body of lead() in the form of a body of with_lock().
template <class Body>
struct leading_body {
    Body body;
    auto operator()(lease& held) { return run_leading(body, held); }
};

}  // namespace detail

/// A coroutine that runs while a leader leads: `asio::awaitable<T>(leadership&)`, of any executor.
template <class Body>
concept leader_body = requires(std::decay_t<Body>& body, leadership& me)
{
    requires detail::is_awaitable<decltype(body(me))>;
};

/// Runs a body while it leads: stands for election, runs the body, resigns, and waits for the resignation. It is a
/// coroutine and must be awaited. To stand again after a loss, call it in a loop.
///
/// It is `with_lock()` with an election in place of the lock and a @ref leadership in place of the lease: completion,
/// cancellation, lifetimes, thread safety and the compiler trap are the same. When the leadership is lost, the body is
/// cancelled (terminal) and awaited; also when `client::shutdown()` asks bodies to end. The other reasons of
/// `leadership::asked_to_yield()` do not cancel it.
///
/// @par Errors
/// As `with_lock()`: errc::busy if `election::campaign()` completes with an empty leadership; errc::lease_lost if the
/// leadership was lost before the body ended; the errors of `election::campaign()`.
/// @par Example
/// @code
/// co_await holdfast::lead(boss, "10.0.0.7:9000", {}, [&](holdfast::leadership& me) -> asio::awaitable<void> {
///     co_await serve(me.term());
/// });
/// @endcode
template <leader_body Body>
[[nodiscard]] auto lead(election const& of, std::string_view value, campaign_options options, Body&& body)
{
    detail::check_body<Body, detail::body_awaitable<std::decay_t<Body>, leadership&>>();
    using adapted = detail::leading_body<std::decay_t<Body>>;
    return detail::run_with_lock<detail::candidate, adapted>(
        detail::make_candidate(of, value, options.priority), options, adapted{std::forward<Body>(body)});
}

/// The same for every completion token, as that of `with_lock()`.
template <leader_body Body, token_for<detail::body_signature<std::decay_t<Body>, leadership&>> Token>
auto lead(election const& of, std::string_view value, campaign_options options, Body&& body, Token&& token)
{
    using adapted = detail::leading_body<std::decay_t<Body>>;
    using started = decltype(detail::spawn_with_lock<detail::candidate, adapted>(
        detail::make_candidate(of, value, options.priority),
        options,
        adapted{std::forward<Body>(body)},
        std::forward<Token>(token)));
    detail::check_body<Body, started>();
    return detail::spawn_with_lock<detail::candidate, adapted>(
        detail::make_candidate(of, value, options.priority),
        options,
        adapted{std::forward<Body>(body)},
        std::forward<Token>(token));
}

}  // namespace holdfast

#endif
