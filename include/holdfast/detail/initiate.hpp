//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_INITIATE_HPP
#define HOLDFAST_DETAIL_INITIATE_HPP

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_context.hpp>
#include <boost/asio/system_executor.hpp>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/diagnostics.hpp>
#include <holdfast/error.hpp>

namespace holdfast {

/// A completion token for an operation with that signature: `asio::deferred`, `asio::use_awaitable`,
/// `asio::use_future`, `asio::cancel_after(1s)`, a callback ... `asio::cancel_after` and `asio::cancel_at` need one
/// executor that serialises their timer and the operation: one thread, or a strand.
template <class Token, class Signature>
concept token_for = asio::completion_token_for<Token, Signature>;

/// The default token of every operation: `co_await` throws a @ref holdfast::error.
using default_token = with_diagnostics_t<asio::deferred_t>;

namespace detail {

// Where a handler is called: on its associated executor, else on the client's. It is computed here, because the type of
// the handler, and with it the type of its executor, is erased afterwards.
struct destination {
    asio::any_io_executor executor;
    bool is_associated;  // false: the handler is dispatched from here to its associated executor
};

// The type of the execution context behind an executor. To ask an executor of Asio's system context for it would start
// that context's threads, so only the type is asked.
template <class Executor>
using context_of =
    std::remove_cvref_t<decltype(asio::query(std::declval<Executor const&>(), asio::execution::context))>;

// Whether a handler may be posted to that executor directly. Not to one of Asio's system context, such as that of
// asio::use_future, which runs a function that is dispatched to it at once, on any thread: what is posted to it runs
// beside the client's threads, and so beside the timer of asio::cancel_after.
template <class Executor>
inline constexpr bool takes_posts =
    std::derived_from<
        Executor,
        asio::
            any_io_executor> || !(std::same_as<context_of<Executor>, asio::execution_context> || std::derived_from<context_of<Executor>, asio::system_context>);
template <class Inner>
inline constexpr bool takes_posts<asio::strand<Inner>> = takes_posts<Inner>;

// The same for the executor at hand, whose type may be erased.
template <class Executor>
bool takes_posts_now([[maybe_unused]] Executor const& e) noexcept
{
    if constexpr (std::derived_from<Executor, asio::any_io_executor>)
        return e.template target<asio::system_executor>() == nullptr;
    else
        return takes_posts<Executor>;
}

// The operations of Asio post to their I/O executor, and dispatch from there to the associated executor. Where that takes
// posts, one post to it has the same effect.
template <class Handler>
destination destination_of(Handler const& handler, asio::any_io_executor const& otherwise)
{
    using associated = asio::associated_executor_t<Handler, asio::any_io_executor>;
    if constexpr (std::convertible_to<associated, asio::any_io_executor>) {
        if constexpr (takes_posts<associated>)
            if (auto e = asio::get_associated_executor(handler, otherwise); takes_posts_now(e))
                return {std::move(e), true};
    }
    return {otherwise, false};
}

// A user's handler, for which the text of an error is stored before it is called. The error code that it gets has no
// source location: that is a place in the library, or in Boost.Asio, on the machine that built it.
template <class Handler>
struct describing_handler {
    Handler handler;

    template <class... Results>
    void operator()(described_error ec, Results... results)
    {
        if (ec.text)
            if (auto* const to = diagnostics_of(handler))
                diagnostics_access::set(*to, std::move(ec.text));
        std::move(handler)(error_code(ec.code.value(), ec.code.category()), std::move(results)...);
    }
};

// A handler, and the executor on which it is called. In the library it gets a described_error for the error code.
template <class Signature>
struct handler_at;
template <class... Results>
struct handler_at<void(error_code, Results...)> {
    asio::any_completion_handler<void(described_error, Results...)> handler;
    destination at;
    bool is_diagnosed = false;  // it wants the text of an error
};

// The executor of an operation, for the adapters of Asio without an inner token, such as asio::cancel_after(1s): they
// take the default token of this type.
struct operation_executor : asio::any_io_executor {
    using default_completion_token_type = default_token;

    operation_executor(asio::any_io_executor e) noexcept : any_io_executor(std::move(e)) {}
};

// What an operation was made from may have a function; else an overload for its type is found.
template <class Object>
asio::any_io_executor executor_of(Object const& of) noexcept requires requires
{
    of.get_executor();
}
{
    return of.get_executor();
}

// An operation that is not started yet. `start` is a function of the library: so operations are compiled there, and not in
// the user's code. `of` shares or has the object whose function made the operation, because with asio::deferred the
// operation may start after that was destroyed. asio::cancel_after() requires executor_type and get_executor().
template <class Signature, class Object, class... Arguments>
struct initiation {
    using executor_type = operation_executor;
    using start_function = void(handler_at<Signature>, Object, Arguments...);

    start_function* start;
    Object of;
    std::tuple<Arguments...> arguments;

    executor_type get_executor() const noexcept { return executor_of(of); }

    // The only place where a handler becomes an any_completion_handler.
    template <class Handler>
    void operator()(Handler&& handler)
    {
        auto at = destination_of(handler, executor_of(of));
        bool const is_diagnosed = diagnostics_of(handler) != nullptr;
        describing_handler<std::decay_t<Handler>> describing{std::forward<Handler>(handler)};
        begin({std::move(describing), std::move(at), is_diagnosed});
    }
    void begin(handler_at<Signature> h)
    {
        std::apply([&](auto&... a) { start(std::move(h), std::move(of), std::move(a)...); }, arguments);
    }
};

template <class Signature, class Object, class... Arguments>
initiation<Signature, Object, Arguments...> make_initiation(
    void (*start)(handler_at<Signature>, Object, Arguments...),
    std::type_identity_t<Object> of,
    std::type_identity_t<Arguments>... arguments)
{
    return {start, std::move(of), {std::move(arguments)...}};
}

template <class Signature, class Token, class Object, class... Arguments>
auto initiate(
    void (*start)(handler_at<Signature>, Object, Arguments...),
    Token&& token,
    std::type_identity_t<Object> of,
    std::type_identity_t<Arguments>... arguments)
{
    return asio::async_initiate<Token, Signature>(
        make_initiation(start, std::move(of), std::move(arguments)...), token);
}

}  // namespace detail
}  // namespace holdfast

/// @cond
template <template <class, class> class Associator, class Handler, class Default>
struct boost::asio::associator<Associator, holdfast::detail::describing_handler<Handler>, Default>
    : Associator<Handler, Default> {
    static auto get(holdfast::detail::describing_handler<Handler> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static decltype(auto) get(holdfast::detail::describing_handler<Handler> const& h, Default const& d) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, d);
    }
};
/// @endcond

#endif
