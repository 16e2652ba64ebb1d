//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_INITIATE_HPP
#define HOLDFAST_DETAIL_INITIATE_HPP

#include <concepts>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <holdfast/error.hpp>

namespace holdfast {

namespace asio = boost::asio;

/// A completion token for an operation with that signature: `asio::deferred` (the default of every operation, so that
/// `co_await` works), `asio::use_awaitable`, `asio::use_future`, `asio::cancel_after(1s)`, a callback ...
template <class Token, class Signature>
concept token_for = asio::completion_token_for<Token, Signature>;

namespace detail {

// Where a handler is called: on its associated executor, else on the client's. It is computed here, because the type of
// the handler, and with it the type of its executor, is erased afterwards.
struct destination {
    asio::any_io_executor executor;
    bool is_associated;  // false: the associated executor is of another type; the handler is dispatched to it from here
};

template <class Handler>
destination destination_of(Handler const& handler, asio::any_io_executor const& otherwise)
{
    using associated = asio::associated_executor_t<Handler, asio::any_io_executor>;
    if constexpr (std::convertible_to<associated, asio::any_io_executor>)
        return {asio::get_associated_executor(handler, otherwise), true};
    else
        return {otherwise, false};
}

// A handler, and the executor on which it is called.
template <class Signature>
struct handler_at {
    asio::any_completion_handler<Signature> handler;
    destination at;
};

// The only place where a handler becomes an any_completion_handler, so that operations are compiled in the library and
// not in the user's code. `Launch` owns everything that the operation needs: the object whose function made the
// operation may be destroyed before the operation is started. It has `get_executor()` and `start(handler_at)`.
// asio::cancel_after() requires executor_type and get_executor().
template <class Signature, class Launch>
struct initiation {
    using executor_type = asio::any_io_executor;

    Launch launch;

    executor_type get_executor() const noexcept { return launch.get_executor(); }

    template <class Handler>
    void operator()(Handler&& handler)
    {
        auto at = destination_of(handler, get_executor());
        std::move(launch).start(handler_at<Signature>{std::forward<Handler>(handler), std::move(at)});
    }
};

template <class Signature, class Launch, class Token>
auto initiate(Launch launch, Token&& token)
{
    return asio::async_initiate<Token, Signature>(initiation<Signature, Launch>{std::move(launch)}, token);
}

}  // namespace detail
}  // namespace holdfast

#endif
