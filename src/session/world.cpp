//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/world.hpp"

namespace holdfast::session {

// An aliasing pointer: the base class is private, so std::shared_ptr cannot convert the pointer.
std::weak_ptr<clock_events> world::clock()
{
    return std::shared_ptr<clock_events>(shared_from_this(), this);
}

void world::stop() noexcept
{
    is_stopped_ = true;
    deadlines_.disarm(alarm_);
    environment_->stop();
}

void world::wake_at(core::instant when)
{
    if (!is_stopped_ && (!alarm_.is_armed() || when < alarm_.due()))
        arm(alarm_, when);
}

void world::arm(core::deadline& d, core::instant when)
{
    deadlines_.arm(d, when);
    environment_->wake_at(deadlines_.next());
}

// `self`: the alarm may stop the engine, which may release the last owner of the world.
void world::on_time()
{
    auto const self = shared_from_this();
    if (is_stopped_ || is_inherited())
        return;
    deadlines_.run(now());
    if (!is_stopped_ && !deadlines_.empty())
        environment_->wake_at(deadlines_.next());
}

}  // namespace holdfast::session
