//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DIAGNOSTICS_HPP
#define HOLDFAST_DIAGNOSTICS_HPP

#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/config.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>

namespace holdfast {

namespace asio = boost::asio;

namespace detail {

struct diagnostics_access;

}  // namespace detail

/// What happened in one operation that failed, beyond its error code: the name of the lock, and the invalid option, the
/// server's error message, or the reason why there is no connection. Control bytes are written as `\x0a`. It contains
/// neither a secret nor a token.
///
/// @par Thread safety
/// Distinct objects: safe. Shared objects: unsafe.
class diagnostics {
public:
    /// The text; empty if the operation succeeded, or if its error code says everything. For people, not for programs:
    /// the wording may change. The view is valid until the object is changed or destroyed.
    std::string_view message() const noexcept { return text_ ? std::string_view(*text_) : std::string_view(); }

    /// Makes the message empty.
    void clear() noexcept { text_.reset(); }

private:
    friend struct detail::diagnostics_access;

    detail::error_text text_;
};

/// The exception of an operation that failed. `what()` is the message of its @ref diagnostics, followed by that of the
/// error code: `lock "orders": OOM command not allowed ...: the server refuses to write [holdfast:7]`.
///
/// @par Example
/// @code
/// try {
///     auto lease = co_await lock.acquire();
/// } catch (holdfast::error const& e) {
///     log(e.what());
///     if (e.code() != holdfast::cond::retry_later)
///         throw;
/// }
/// @endcode
class BOOST_SYMBOL_VISIBLE error : public boost::system::system_error {
public:
    /// Makes the exception of an operation that failed with that code.
    error(error_code ec, diagnostics d);

    /// What happened. The reference is valid while the exception exists.
    diagnostics const& get_diagnostics() const noexcept { return diagnostics_; }

private:
    diagnostics diagnostics_;
};

/// The completion token that @ref with_diagnostics makes.
template <class Token>
struct with_diagnostics_t {
    Token token;  ///< that it adapts
};

/// The completion token that @ref bind_diagnostics makes.
template <class Token>
struct bind_diagnostics_t {
    diagnostics* to;  ///< receives the text
    Token token;      ///< that it adapts
};

/// Adapts a completion token so that a failed operation reports a @ref holdfast::error, with its text, where it would
/// throw a plain `boost::system::system_error`. For tokens that make exceptions of errors: `asio::deferred`,
/// `asio::use_awaitable`, `asio::use_future`. The signature becomes `void(std::exception_ptr, ...)`.
///
/// It is the default of every operation, as `with_diagnostics(asio::deferred)`, and that of tokens without an inner one:
/// `co_await lock.acquire()` and `co_await lock.acquire(asio::cancel_after(1s))` throw a @ref holdfast::error.
/// Operations whose signature does not begin with an error code stay as they are.
///
/// @par Example
/// @code
/// std::future<holdfast::lease> f = lock.acquire(holdfast::with_diagnostics(asio::use_future));
/// @endcode
template <class Token = asio::deferred_t>
[[nodiscard]] constexpr with_diagnostics_t<std::decay_t<Token>> with_diagnostics(Token&& token = {})
{
    return {std::forward<Token>(token)};
}

/// Adapts a completion token so that the text of a failed operation is written to `to` before the handler is called. The
/// signature stays as it is. For tokens that pass error codes: `asio::as_tuple`, `asio::redirect_error`, callbacks. The
/// operation clears `to` when it is started.
///
/// @par Lifetimes
/// `to` must exist until the handler is called.
///
/// @par Example
/// @code
/// holdfast::diagnostics diag;
/// auto [ec, lease] = co_await lock.acquire(holdfast::bind_diagnostics(diag, asio::as_tuple));
/// if (ec)
///     std::cerr << diag.message() << ": " << ec.message() << "\n";
/// @endcode
template <class Token>
[[nodiscard]] constexpr bind_diagnostics_t<std::decay_t<Token>> bind_diagnostics(diagnostics& to, Token&& token)
{
    return {&to, std::forward<Token>(token)};
}

namespace detail {

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

// A handler for with_diagnostics(). The text is a member, so it moves with the handler and needs no allocation.
template <class Handler>
struct exception_handler {
    Handler handler;
    mutable diagnostics text = {};

    template <class... Results>
    void operator()(error_code ec, Results... results)
    {
        if (!ec)
            return std::move(handler)(std::exception_ptr(), std::move(results)...);
        if (auto* outer = diagnostics_of(handler))
            *outer = text;
        std::move(handler)(make_exception(ec, std::move(text)), std::move(results)...);
    }
};

// A handler for bind_diagnostics().
template <class Handler>
struct diagnosed_handler {
    Handler handler;
    diagnostics* to;

    template <class... Results>
    void operator()(Results&&... results)
    {
        std::move(handler)(std::forward<Results>(results)...);
    }
};

// An initiation that puts one of these handlers around the handler that it gets.
template <class Initiation, class Adapt>
struct adapted_initiation {
    using executor_type = asio::associated_executor_t<Initiation, asio::any_io_executor>;

    Initiation initiation;
    Adapt adapt;

    executor_type get_executor() const noexcept
    {
        return asio::associated_executor<Initiation, asio::any_io_executor>::get(initiation, asio::any_io_executor());
    }

    template <class Handler, class... Arguments>
    void operator()(Handler&& handler, Arguments&&... arguments)
    {
        std::move(initiation)(adapt(std::forward<Handler>(handler)), std::forward<Arguments>(arguments)...);
    }
};

struct to_exception_handler {
    template <class Handler>
    exception_handler<std::decay_t<Handler>> operator()(Handler&& h) const
    {
        return {std::forward<Handler>(h)};
    }
};

struct to_diagnosed_handler {
    diagnostics* to;

    template <class Handler>
    diagnosed_handler<std::decay_t<Handler>> operator()(Handler&& h) const
    {
        to->clear();
        return {std::forward<Handler>(h), to};
    }
};

template <class Signature, class Initiation, class Adapt, class Token, class... Arguments>
auto initiate_adapted(Initiation&& initiation, Adapt adapt, Token& token, Arguments&&... arguments)
{
    return asio::async_initiate<Token, Signature>(
        adapted_initiation<std::decay_t<Initiation>, Adapt>{std::forward<Initiation>(initiation), adapt},
        token,
        std::forward<Arguments>(arguments)...);
}

template <class Handler, class Default>
struct associated_diagnostics<exception_handler<Handler>, Default> {
    using type = diagnostics*;
    static type get(exception_handler<Handler> const& h) noexcept { return &h.text; }
    static type get(exception_handler<Handler> const& h, Default const&) noexcept { return &h.text; }
};

template <class Handler, class Default>
struct associated_diagnostics<diagnosed_handler<Handler>, Default> {
    using type = diagnostics*;
    static type get(diagnosed_handler<Handler> const& h) noexcept { return h.to; }
    static type get(diagnosed_handler<Handler> const& h, Default const&) noexcept { return h.to; }
};

}  // namespace detail
}  // namespace holdfast

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
    {
        return holdfast::detail::initiate_adapted<void(std::exception_ptr, Results...)>(
            std::forward<Initiation>(initiation),
            holdfast::detail::to_exception_handler(),
            adapted.token,
            std::forward<Arguments>(arguments)...);
    }
};

template <class Token, class Signature>
struct async_result<holdfast::bind_diagnostics_t<Token>, Signature> {
    template <class Initiation, class Adapted, class... Arguments>
    static auto initiate(Initiation&& initiation, Adapted&& adapted, Arguments&&... arguments)
    {
        return holdfast::detail::initiate_adapted<Signature>(
            std::forward<Initiation>(initiation),
            holdfast::detail::to_diagnosed_handler{adapted.to},
            adapted.token,
            std::forward<Arguments>(arguments)...);
    }
};

template <template <class, class> class Associator, class Handler, class Default>
struct associator<Associator, holdfast::detail::exception_handler<Handler>, Default> : Associator<Handler, Default> {
    static auto get(holdfast::detail::exception_handler<Handler> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static decltype(auto) get(holdfast::detail::exception_handler<Handler> const& h, Default const& d) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, d);
    }
};

template <template <class, class> class Associator, class Handler, class Default>
struct associator<Associator, holdfast::detail::diagnosed_handler<Handler>, Default> : Associator<Handler, Default> {
    static auto get(holdfast::detail::diagnosed_handler<Handler> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static decltype(auto) get(holdfast::detail::diagnosed_handler<Handler> const& h, Default const& d) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, d);
    }
};

}  // namespace boost::asio
/// @endcond

#endif
