//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_ENVIRONMENT_HPP
#define HOLDFAST_SESSION_ENVIRONMENT_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.hpp"
#include "session/connection.hpp"
#include "session/greeting.hpp"

namespace holdfast::session {

// Receives the events of the clock. A session implements it.
class clock_events {
public:
    // The instant passed to wake_at() has come. Called on the strand.
    virtual void on_time() = 0;

protected:
    ~clock_events() = default;
};

// What a session needs from the system: connections, time and random numbers. No other code of core, engine and session
// reads a clock or a random generator; a simulation implements this class and `connection`, and runs all other code
// unchanged. The session owns it.
class environment {
public:
    virtual ~environment() = default;

    // Starts to establish a connection. The pointer is weak, because the session owns its connection: the connection
    // calls the events only as long as they exist. The session sends the greeting; the login is for a transport that
    // must authenticate before it (Sentinel), and valid during the call.
    virtual std::shared_ptr<connection> connect(std::weak_ptr<connection_events>, client_login const&) = 0;
    // The name of the server in log lines, without secrets.
    virtual std::string server_name() const = 0;

    // CLOCK_BOOTTIME, or virtual time. Any thread.
    virtual core::instant now() const noexcept = 0;
    // Requests one on_time(), not before that instant. An earlier request replaces a later one; a later one is ignored
    // while an earlier one is pending.
    virtual void wake_at(core::instant) = 0;
    // The session has stopped: no on_time() follows.
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
