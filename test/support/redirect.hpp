//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_REDIRECT_HPP
#define HOLDFAST_TEST_SUPPORT_REDIRECT_HPP

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/error.hpp>

namespace holdfast::test {

// The completion token of a coroutine that awaits an operation and gets its error code in `ec`.
inline auto redirect(error_code& ec)
{
    return asio::redirect_error(asio::use_awaitable, ec);
}

}  // namespace holdfast::test

#endif
