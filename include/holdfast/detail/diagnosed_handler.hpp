//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_DIAGNOSED_HANDLER_HPP
#define HOLDFAST_DETAIL_DIAGNOSED_HANDLER_HPP

#include <exception>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/config.hpp>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/diagnostics.hpp>
#include <holdfast/error.hpp>

// How the text of a failed operation gets to the caller.
namespace holdfast::detail {

struct diagnostics_access {
    static void set(diagnostics& d, error_text t) noexcept { d.text_ = std::move(t); }
    static error_text const& get(diagnostics const& d) noexcept { return d.text_; }
};

// Where a handler wants the text of its operation: an associated characteristic like its executor or its allocator, so
// that the adapters of Asio pass it on. Null: nowhere.
template <class Handler, class Default>
struct associated_diagnostics;

template <class Handler, class Default, class = void>
struct associated_diagnostics_of {
    using type = Default;
    static type get(Handler const&) noexcept { return {}; }
    static type get(Handler const&, Default const& d) noexcept { return d; }
};

template <class Handler, class Default>
struct associated_diagnostics_of<
    Handler,
    Default,
    std::void_t<typename asio::associator<associated_diagnostics, Handler, Default>::type>>
    : asio::associator<associated_diagnostics, Handler, Default> {};

template <class Handler, class Default = diagnostics*>
struct associated_diagnostics : associated_diagnostics_of<Handler, Default> {};

template <class Handler>
diagnostics* diagnostics_of(Handler const& h) noexcept
{
    return associated_diagnostics<Handler>::get(h, nullptr);
}

BOOST_SYMBOL_VISIBLE std::exception_ptr make_exception(error_code, diagnostics);

// with_diagnostics(): the text becomes part of the exception. It is a member of the handler, so it moves with it and
// needs no allocation.
struct text_of_exception {
    mutable diagnostics text = {};

    diagnostics* destination() const noexcept { return &text; }

    template <class Handler, class... Results>
    void complete(Handler&& handler, error_code ec, Results... results)
    {
        if (!ec)
            return std::move(handler)(std::exception_ptr(), std::move(results)...);
        if (auto* outer = diagnostics_of(handler))
            *outer = text;
        std::move(handler)(make_exception(ec, std::move(text)), std::move(results)...);
    }
};

// bind_diagnostics(): the text goes to an object of the caller.
struct text_of_caller {
    diagnostics* to;

    diagnostics* destination() const noexcept { return to; }

    template <class Handler, class... Results>
    void complete(Handler&& handler, Results&&... results)
    {
        std::move(handler)(std::forward<Results>(results)...);
    }
};

// A handler that receives the text of its operation.
template <class Handler, class Text>
struct diagnosed_handler {
    Handler handler;
    Text text;

    template <class... Results>
    void operator()(Results&&... results)
    {
        text.complete(std::move(handler), std::forward<Results>(results)...);
    }
};

template <class Handler, class Text, class Default>
struct associated_diagnostics<diagnosed_handler<Handler, Text>, Default> {
    using type = diagnostics*;
    static type get(diagnosed_handler<Handler, Text> const& h) noexcept { return h.text.destination(); }
    static type get(diagnosed_handler<Handler, Text> const& h, Default const&) noexcept { return get(h); }
};

// An initiation that puts such a handler around the handler that it gets.
template <class Initiation, class Text>
struct diagnosed_initiation {
    using executor_type = asio::associated_executor_t<Initiation, asio::any_io_executor>;

    Initiation initiation;
    Text text;

    executor_type get_executor() const noexcept
    {
        return asio::associated_executor<Initiation, asio::any_io_executor>::get(initiation, asio::any_io_executor());
    }

    template <class Handler, class... Arguments>
    void operator()(Handler&& handler, Arguments&&... arguments)
    {
        text.destination()->clear();
        std::move(initiation)(
            diagnosed_handler<std::decay_t<Handler>, Text>{std::forward<Handler>(handler), std::move(text)},
            std::forward<Arguments>(arguments)...);
    }
};

// The result of an operation with that signature and token. It is declared, not deduced: with asio::cancel_after around
// it, the concept of a completion token asks for the type of an initiation that has no executor.
template <class Signature, class Text, class Initiation, class Token, class... Arguments>
using diagnosed_result = decltype(asio::async_initiate<Token, Signature>(
    std::declval<diagnosed_initiation<std::decay_t<Initiation>, Text>>(),
    std::declval<Token&>(),
    std::declval<Arguments>()...));

template <class Signature, class Text, class Initiation, class Token, class... Arguments>
auto initiate_diagnosed(Text text, Initiation&& initiation, Token& token, Arguments&&... arguments)
    -> diagnosed_result<Signature, Text, Initiation, Token, Arguments...>
{
    return asio::async_initiate<Token, Signature>(
        diagnosed_initiation<std::decay_t<Initiation>, Text>{std::forward<Initiation>(initiation), std::move(text)},
        token,
        std::forward<Arguments>(arguments)...);
}

}  // namespace holdfast::detail

/// @cond
namespace boost::asio {

template <class Token, class... Signatures>
struct async_result<holdfast::with_diagnostics_t<Token>, Signatures...> {
    template <class Initiation, class Adapted, class... Arguments>
    static auto initiate(Initiation&& initiation, Adapted&& adapted, Arguments&&... arguments)
    {
        return async_initiate<std::remove_reference_t<decltype((adapted.token))>, Signatures...>(
            std::forward<Initiation>(initiation), adapted.token, std::forward<Arguments>(arguments)...);
    }
};

template <class Token, class... Results>
struct async_result<holdfast::with_diagnostics_t<Token>, void(boost::system::error_code, Results...)> {
    template <class Initiation, class Adapted, class... Arguments>
    static auto initiate(Initiation&& initiation, Adapted&& adapted, Arguments&&... arguments)
        -> decltype(holdfast::detail::initiate_diagnosed<void(std::exception_ptr, Results...)>(
            std::declval<holdfast::detail::text_of_exception>(),
            std::forward<Initiation>(initiation),
            adapted.token,
            std::forward<Arguments>(arguments)...))
    {
        return holdfast::detail::initiate_diagnosed<void(std::exception_ptr, Results...)>(
            holdfast::detail::text_of_exception(),
            std::forward<Initiation>(initiation),
            adapted.token,
            std::forward<Arguments>(arguments)...);
    }
};

template <class Token, class Signature>
struct async_result<holdfast::bind_diagnostics_t<Token>, Signature> {
    template <class Initiation, class Adapted, class... Arguments>
    static auto initiate(Initiation&& initiation, Adapted&& adapted, Arguments&&... arguments)
        -> decltype(holdfast::detail::initiate_diagnosed<Signature>(
            std::declval<holdfast::detail::text_of_caller>(),
            std::forward<Initiation>(initiation),
            adapted.token,
            std::forward<Arguments>(arguments)...))
    {
        return holdfast::detail::initiate_diagnosed<Signature>(
            holdfast::detail::text_of_caller{adapted.to},
            std::forward<Initiation>(initiation),
            adapted.token,
            std::forward<Arguments>(arguments)...);
    }
};

template <template <class, class> class Associator, class Handler, class Text, class Default>
struct associator<Associator, holdfast::detail::diagnosed_handler<Handler, Text>, Default>
    : Associator<Handler, Default> {
    static auto get(holdfast::detail::diagnosed_handler<Handler, Text> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static decltype(auto) get(holdfast::detail::diagnosed_handler<Handler, Text> const& h, Default const& d) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, d);
    }
};

}  // namespace boost::asio
/// @endcond

#endif
