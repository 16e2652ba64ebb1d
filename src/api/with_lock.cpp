//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <holdfast/with_lock.hpp>

namespace holdfast::detail {
namespace {

using boost::system::system_error;

// An error of the body is nested, because it says more than the loss, except for the operation_aborted that the loss
// caused.
[[noreturn]] void throw_lost(std::exception_ptr nested)
{
    try {
        if (nested)
            std::rethrow_exception(nested);
    } catch (system_error const& e) {
        if (e.code() != asio::error::operation_aborted)
            std::throw_with_nested(system_error(errc::lease_lost));
    } catch (...) {
        std::throw_with_nested(system_error(errc::lease_lost));
    }
    throw system_error(errc::lease_lost);
}

}  // namespace

void throw_unless_returned(with_lock_end const& end)
{
    if (end.cancelled)
        throw system_error(asio::error::operation_aborted);
    if (end.acquire)
        throw system_error(end.acquire);
    bool const lost = end.lost || end.release == errc::lease_lost;
    if (lost || !(end.returned || end.error))
        throw_lost(end.error);
    if (end.error)
        std::rethrow_exception(end.error);
}

}  // namespace holdfast::detail
