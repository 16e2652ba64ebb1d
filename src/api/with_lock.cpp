//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <exception>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast/with_lock.hpp>

#include "engine/port/strand.hpp"
#include "handle/completion.hpp"
#include "handle/lease_impl.hpp"
#include "handle/named_error.hpp"

namespace holdfast::detail {
namespace {

using boost::system::system_error;

error of_lock(std::string_view lock, error_code ec, diagnostics text = {})
{
    if (text.message().empty())
        diagnostics_access::set(text, make_error_text(in_quotes(lock)));
    return error(ec, std::move(text));
}

bool is_cancellation(std::exception_ptr const& of_body)
{
    try {
        std::rethrow_exception(of_body);
    } catch (system_error const& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

// The caller must know of the loss, so the exception is errc::lease_lost. An exception of the body is nested in it,
// because it describes what happened to the work. Except operation_aborted: with_lock itself cancels the body after a
// loss, so that exception is only a consequence.
[[noreturn]] void throw_lost(std::exception_ptr nested, error const& lost)
{
    if (!nested || is_cancellation(nested))
        throw lost;
    try {
        // throw_with_nested() nests the exception that is being handled, so the stored one is thrown and caught here.
        std::rethrow_exception(nested);
    } catch (...) {
        std::throw_with_nested(lost);
    }
}

// A release of unknown outcome is no error, because the client goes on releasing in the background. Of the other cases
// the first that applies decides:
// 1. A cancellation from outside: the caller no longer waits for a result.
// 2. An error of the acquire: the body was not started.
// 3. A loss, which counts more than the result of the body: what the body did may have been done by two holders. The
//    release may be the first to detect it. If the body neither returned nor threw, it was not started, because the
//    lease was not valid any more: the process may have been paused after the grant.
// 4. A shutdown of the client, if the body ended because of it.
// 5. The exception of the body.
void throw_end(with_lock_end const& end, std::string_view lock)
{
    if (end.cancelled)
        throw of_lock(lock, asio::error::operation_aborted);
    if (end.acquire)
        throw of_lock(lock, end.acquire, end.text);
    bool const lost = end.lost || end.release == errc::lease_lost;
    if (lost || !(end.returned || end.error))
        throw_lost(end.error, of_lock(lock, errc::lease_lost));
    if (end.asked_to_stop && end.error && is_cancellation(end.error))
        throw of_lock(lock, errc::client_stopped);
    if (end.error)
        std::rethrow_exception(end.error);
}

}  // namespace

asio::any_io_executor make_body_strand(asio::any_io_executor const& e)
{
    return engine::strand(e);
}

void throw_unless_returned(with_lock_end const& end, std::string_view name)
{
    throw_end(end, name);
}

void start_stopping(handler_at<void(error_code, loss)> h, lease_ptr of)
{
    if (!of)
        return complete_early<loss>(std::move(h), errc::empty_lease, {});
    of->stopping(std::move(h));
}

}  // namespace holdfast::detail
