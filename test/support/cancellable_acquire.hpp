//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CANCELLABLE_ACQUIRE_HPP
#define HOLDFAST_TEST_SUPPORT_CANCELLABLE_ACQUIRE_HPP

#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/any_lock.hpp>
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

namespace holdfast::test {

// One acquire that can be cancelled, and its result.
struct cancellable_acquire {
    asio::cancellation_signal signal;
    bool done = false;
    bool was_cancelled = false;
    error_code ec;
    lease got;

    // For the acquire, which completes once.
    auto handler()
    {
        return asio::bind_cancellation_slot(signal.slot(), [this](error_code e, lease l) {
            REQUIRE_FALSE(done);
            done = true;
            ec = e;
            got = std::move(l);
        });
    }

    void start(any_lock const& lock) { lock.acquire(handler()); }

    void cancel(asio::cancellation_type type)
    {
        was_cancelled = true;
        signal.emit(type);
    }

    // An acquire fails only after a cancellation, and then it has no lease.
    bool is_plausible() const { return !ec || (was_cancelled && ec == asio::error::operation_aborted && got.empty()); }
};

}  // namespace holdfast::test

#endif
