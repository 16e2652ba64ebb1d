//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CREDENTIALS_HPP
#define HOLDFAST_CREDENTIALS_HPP

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast/config.hpp>

namespace holdfast {

/// A user and a password, as a provider yields them.
struct credentials {
    /// Empty: the server's user "default".
    std::string user = {};

    /// Must not be empty.
    std::string password = {};

    /// How long the server accepts them, counted from the completion of the provider. The default: without an end.
    std::chrono::milliseconds valid_for = std::chrono::milliseconds::max();
};

/// What a provider is asked for.
struct credentials_request {
    /// The server has refused the last credentials of this provider. A provider that caches them must fetch new ones.
    bool is_refused = false;
};

namespace detail {

// One question to a provider. The session implements it.
class credentials_call {
public:
    virtual ~credentials_call() = default;

    // Any thread. The first call counts.
    virtual void complete(std::exception_ptr failure, credentials) = 0;
    virtual boost::asio::any_io_executor executor() const = 0;
    virtual boost::asio::cancellation_slot slot() noexcept = 0;
};

}  // namespace detail

/// Completes a question to a provider. A copyable function object that is also a completion handler of Boost.Asio for
/// `void(error_code, credentials)` and `void(std::exception_ptr, credentials)`, so it may be passed as the token to an
/// asynchronous operation that yields @ref credentials.
///
/// The first call counts, and later ones do nothing. Thread-safe: it may be called inside the provider, on any executor
/// and any thread, and when the client and its execution context do not exist any more; it does nothing then. A call
/// only posts, so it neither blocks nor calls code of the user.
class credentials_handler {
public:
    using executor_type = boost::asio::any_io_executor;             ///< The result of @ref get_executor.
    using cancellation_slot_type = boost::asio::cancellation_slot;  ///< The result of @ref get_cancellation_slot.
    /// For the library, which makes the handlers.
    explicit credentials_handler(std::shared_ptr<detail::credentials_call> c) noexcept : call_(std::move(c)) {}

    /// The credentials that the client sends to the server.
    void operator()(credentials c) const { call_->complete(nullptr, std::move(c)); }

    /// With an error, the credentials are ignored, and the client asks again after a pause.
    void operator()(boost::system::error_code ec, credentials c) const
    {
        call_->complete(ec ? std::make_exception_ptr(boost::system::system_error(ec)) : nullptr, std::move(c));
    }
    void operator()(std::exception_ptr failure, credentials c) const  ///< The same with an exception.
    {
        call_->complete(std::move(failure), std::move(c));
    }

    /// A strand of the client's executor, on which the provider is called.
    executor_type get_executor() const { return call_->executor(); }

    /// Emitted, on that strand, when the answer is not awaited any more: the limit has passed, the connection was lost,
    /// or the client was stopped. A handler whose slot was used must not be kept when the execution context has ended.
    cancellation_slot_type get_cancellation_slot() const noexcept { return call_->slot(); }

private:
    std::shared_ptr<detail::credentials_call> call_;
};

/// Makes a provider of a coroutine: `function(credentials_request)` returns `asio::awaitable<credentials>`. The
/// coroutine runs on a strand of the client's executor, is cancelled (`cancellation_type::terminal`) when its result is
/// not awaited any more, and reports a failure by an exception. The provider keeps the function; each question copies
/// it.
///
/// @par Example
/// @code
/// asio::awaitable<holdfast::credentials> fetch_token(holdfast::credentials_request);
///
/// holdfast::client client{ioc, {.url = "rediss://example.org", .credentials = holdfast::coroutine_provider(fetch_token)}};
/// @endcode
template <class Function>
credentials_provider coroutine_provider(Function function)
{
    return [function = std::move(function)](credentials_request what, credentials_handler done) {
        boost::asio::co_spawn(
            done.get_executor(), [function, what]() mutable { return function(what); }, done);
    };
}

}  // namespace holdfast

#endif
