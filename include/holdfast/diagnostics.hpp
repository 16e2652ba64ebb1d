//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DIAGNOSTICS_HPP
#define HOLDFAST_DIAGNOSTICS_HPP

#include <string_view>
#include <type_traits>
#include <utility>

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
/// It is the default of every operation, as `with_diagnostics(asio::deferred)`, and that of tokens without an inner
/// one: `co_await lock.acquire()` and `co_await lock.acquire(asio::cancel_after(1s))` throw a @ref holdfast::error.
/// The timer of `asio::cancel_after` needs the same strand as the operation if several threads run the context.
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

/// Adapts a completion token so that the text of a failed operation is written to `to` before the handler is called.
/// The signature stays as it is. For tokens that pass error codes: `asio::as_tuple`, `asio::redirect_error`, callbacks.
/// The operation clears `to` when it is started.
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

}  // namespace holdfast

#include <holdfast/detail/diagnosed_handler.hpp>

#endif
