//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/alarm.hpp"

#include <algorithm>

#include "redis/machine.hpp"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

// The timers of Asio use CLOCK_MONOTONIC, which stops while the machine sleeps. A longer wait is split into waits of
// this length, so that after a sleep the alarm is late by no more than one of them.
constexpr core::duration longest_wait = 1s;

}  // namespace

// Resets the pointer, because a handler that is queued already is not cancelled and runs without an error.
void alarm::stop() noexcept
{
    to_.reset();
    timer_.cancel();
}

// There is one alarm. A later request is ignored: the session requests the next one when this one has expired.
void alarm::wake_at(core::instant at)
{
    if (at >= at_)
        return;
    at_ = at;
    wait();
}

// Sets the timer anew, which cancels a wait that is pending; its handler then does nothing.
void alarm::wait()
{
    auto const rest = at_ - boot_time();
    timer_.expires_after(std::clamp(rest, core::duration::zero(), longest_wait));
    timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (!ec)
            self->on_timer();
    });
}

void alarm::on_timer()
{
    // The handler may have been queued when wake_at() set another wait, or the wait was only a part of a longer one.
    auto const to = to_.lock();
    if (!to || at_ == core::never)
        return;
    if (boot_time() < at_)
        return wait();
    at_ = core::never;  // before the call, which requests the next alarm
    to->on_time();
}

}  // namespace holdfast::redis
