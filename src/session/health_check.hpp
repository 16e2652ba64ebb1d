//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_HEALTH_CHECK_HPP
#define HOLDFAST_SESSION_HEALTH_CHECK_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "core/clock.hpp"
#include "core/validity.hpp"

namespace holdfast::session {

// When a session sends PING, and for how long a connection may be silent while a reply is awaited.
struct health_limits {
    core::duration ping_after{};  // the last command; 0: there is no health check
    core::duration reply_limit{};
};

// A command without a reply ends as unknown after `command_timeout`. A connection that replies to nothing for that long
// has probably failed; earlier, if the leases could otherwise not be renewed in time on the next one (rule 16), but not
// before a server may have forked or run a slow script.
constexpr health_limits health_limits_of(core::duration lease, core::duration command_timeout) noexcept
{
    using std::chrono::milliseconds;
    return {
        std::clamp<core::duration>(lease / 6, milliseconds(100), milliseconds(2000)),
        std::clamp(command_timeout, core::shortest_silence, core::longest_silence(lease))};
}

// Whether the open connection of a session still transports anything. It only decides; the session sends the PING and
// closes the connection. Its timer calls judge():
//
// | a reply is awaited | read since the last call | limit has passed                  | step                  |
// |--------------------|--------------------------|-----------------------------------|-----------------------|
// | no                 |                          | of the pause after a command      | ping                  |
// | no                 |                          | no                                | wait, until it passes |
// | yes                | something                |                                   | wait                  |
// | yes                | nothing                  | of the reply, since the command   | close                 |
// |                    |                          | was sent or something was read    |                       |
// | yes                | nothing                  | no                                | wait                  |
//
// So a connection that was lost in silence is closed within both limits together. The clock is not read for each reply:
// what was read counts from the next call of judge().
class health_check {
public:
    enum class step : std::uint8_t { wait, ping, close };

    struct decision {
        health_check::step step;
        core::instant next;  // when to judge again
    };

    explicit constexpr health_check(health_limits l) noexcept : limits_(l) {}

    constexpr bool is_off() const noexcept { return limits_.ping_after == core::duration::zero(); }

    // A connection is open, or commands were sent on it.
    constexpr void on_sent(core::instant now) noexcept { sent_ = now; }
    // Something was read, be it a message.
    constexpr void on_read() noexcept { has_read_ = true; }

    // `awaited`: when the oldest command that has no reply was sent; `never`: all have one.
    constexpr decision judge(core::instant now, core::instant awaited) noexcept
    {
        if (std::exchange(has_read_, false))
            read_ = now;
        if (awaited == core::never) {
            auto const ping = sent_ + limits_.ping_after;
            return ping > now ? decision{step::wait, ping} : decision{step::ping, now + limits_.ping_after};
        }
        auto const end = std::max(awaited, read_) + limits_.reply_limit;
        if (end <= now)
            return {step::close, core::never};
        return {step::wait, std::min(end, now + limits_.ping_after)};
    }

private:
    health_limits const limits_;
    core::instant sent_{};
    core::instant read_{};  // or later
    bool has_read_ = false;
};

}  // namespace holdfast::session

#endif
