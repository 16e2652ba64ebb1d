//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Calls of a client with config::acknowledged_by that must succeed. A busy machine may be too slow for one
// acknowledgement, which has at most 500 ms: these calls ask again.
//
#ifndef HOLDFAST_TEST_SUPPORT_ACKNOWLEDGED_HPP
#define HOLDFAST_TEST_SUPPORT_ACKNOWLEDGED_HPP

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include <holdfast.hpp>

#include "support/redirect.hpp"

namespace holdfast::test {

// A server that is busy may not acknowledge for a while.
inline constexpr std::chrono::seconds acknowledged_within(30);

// Throws what the last attempt throws.
inline asio::awaitable<lease> acquire_acknowledged(any_lock lock)
{
    auto const end = std::chrono::steady_clock::now() + acknowledged_within;
    while (std::chrono::steady_clock::now() < end) {
        error_code ec;
        auto held = co_await lock.acquire({}, redirect(ec));
        if (!ec)
            co_return held;
    }
    co_return co_await lock.acquire();
}

// Returns the error of the last attempt.
inline asio::awaitable<error_code> extend_acknowledged(lease& held, std::chrono::milliseconds time)
{
    auto const end = std::chrono::steady_clock::now() + acknowledged_within;
    error_code ec = errc::unavailable;
    while (ec == errc::unavailable && std::chrono::steady_clock::now() < end)
        co_await held.extend(time, redirect(ec));
    co_return ec;
}

}  // namespace holdfast::test

#endif
