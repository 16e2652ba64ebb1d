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

// Timers of Asio stand still while the machine sleeps. No wait is longer, so that an alarm that fell due meanwhile
// is not late by the length of the sleep.
constexpr core::duration longest_wait = 1s;

}  // namespace

void alarm::stop() noexcept
{
    to_.reset();
    timer_.cancel();
}

void alarm::wake_at(core::instant at)
{
    if (at >= at_)
        return;
    at_ = at;
    wait();
}

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
    // Another wait may have been set since this one ended.
    auto const to = to_.lock();
    if (!to || at_ == core::never)
        return;
    if (boot_time() < at_)
        return wait();
    at_ = core::never;
    to->on_time();
}

}  // namespace holdfast::redis
