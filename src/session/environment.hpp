//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_ENVIRONMENT_HPP
#define HOLDFAST_SESSION_ENVIRONMENT_HPP

#include <array>
#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::session {

// Receives the events of the clock. A world implements it.
class clock_events {
public:
    // The instant passed to wake_at() has come. Called on the strand.
    virtual void on_time() = 0;

protected:
    ~clock_events() = default;
};

// The time and the random numbers of the system, for one client. No other code of core, engine and session reads a
// clock or a random generator; a simulation implements this class, `connector` and `connection`, and runs all other
// code unchanged. The world owns it.
class environment {
public:
    virtual ~environment() = default;

    // CLOCK_BOOTTIME, or virtual time. Any thread.
    virtual core::instant now() const noexcept = 0;
    // Requests one on_time(), not before that instant. An earlier request replaces a later one; a later one is ignored
    // while an earlier one is pending.
    virtual void wake_at(core::instant) = 0;
    // The client has stopped: no on_time() follows.
    virtual void stop() noexcept = 0;

    // For jitter.
    virtual std::uint64_t random() noexcept = 0;
    // 128 bits from the operating system, new at each call.
    virtual std::array<std::uint8_t, 16> identity() = 0;
    // Changes when the process was forked.
    virtual std::uint64_t incarnation() const noexcept = 0;
};

}  // namespace holdfast::session

#endif
