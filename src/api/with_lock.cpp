//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast/with_lock.hpp>

#include "client/client_state.hpp"
#include "core/printable.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {
namespace {

using boost::system::system_error;

// The caller must know of the loss, so the exception is errc::lease_lost. An exception of the body is nested in it,
// because it describes what happened to the work. Except operation_aborted: with_lock itself cancels the body after a
// loss, so that exception is only a consequence.
[[noreturn]] void throw_lost(std::exception_ptr nested, std::string const& lock)
{
    try {
        // throw_with_nested() nests the exception that is being handled, so the stored one is thrown and caught here.
        if (nested)
            std::rethrow_exception(nested);
    } catch (system_error const& e) {
        if (e.code() != asio::error::operation_aborted)
            std::throw_with_nested(system_error(errc::lease_lost, lock));
    } catch (...) {
        std::throw_with_nested(system_error(errc::lease_lost, lock));
    }
    throw system_error(errc::lease_lost, lock);
}

std::string without(std::string text, std::string const& part)
{
    if (auto const at = text.find(part); at != text.npos)
        text.erase(at, part.size());
    return text;
}

std::string name_of(std::string_view lock)
{
    return core::printable(in_quotes(lock));
}

// The words of the client's last failure if that was of this lock and with this error, else the name of the lock. The
// message of the code is removed, because what() appends it.
std::string failure_of(any_lock const& lock, error_code ec)
{
    auto const name = name_of(lock.name());
    auto const client = lock_access::impl_of(lock)->home();
    auto const last = client ? client->last_failure() : failure();
    bool const is_this = last.code == ec && last.message.starts_with(name + ": ");
    return is_this ? without(last.message, ": " + ec.message()) : name;
}

// A release of unknown outcome is no error, because the client goes on releasing in the background. Of the other cases
// the first that applies decides:
// 1. A cancellation from outside: the caller no longer waits for a result.
// 2. An error of the acquire: the body was not started.
// 3. A loss, which counts more than the result of the body: what the body did may have been done by two holders. The
//    release may be the first to detect it. If the body neither returned nor threw, it was not started, because the
//    lease was not valid any more: the process may have been paused after the grant.
// 4. The exception of the body.
template <class AcquireFailure>
void throw_end(with_lock_end const& end, std::string_view lock, AcquireFailure acquire_failure)
{
    if (end.cancelled)
        throw system_error(asio::error::operation_aborted, name_of(lock));
    if (end.acquire)
        throw system_error(end.acquire, acquire_failure());
    bool const lost = end.lost || end.release == errc::lease_lost;
    if (lost || !(end.returned || end.error))
        throw_lost(end.error, name_of(lock));
    if (end.error)
        std::rethrow_exception(end.error);
}

}  // namespace

void throw_unless_returned(with_lock_end const& end, std::string_view name)
{
    throw_end(end, name, [&] { return name_of(name); });
}

void throw_unless_returned(with_lock_end const& end, any_lock const& lock)
{
    throw_end(end, lock.name(), [&] { return failure_of(lock, end.acquire); });
}

}  // namespace holdfast::detail
