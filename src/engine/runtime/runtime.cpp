//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/runtime.hpp"

#include <utility>

namespace holdfast::engine {

runtime::runtime(std::shared_ptr<engine::session> s, config const& c, engine::log l, std::weak_ptr<inbox> home)
    : session_(std::move(s)),
      config_(c),
      home_(std::move(home)),
      log_(std::move(l)),
      telemetry_(c.observer, log_),
      tokens_(*session_)
{}

void runtime::arm(core::deadline& d, core::instant due)
{
    deadlines_.arm(d, due);
    set_alarm();
}

// disarm() does not call this function: most deadlines are withdrawn before they are due, and an alarm that expires too
// early costs less than to set the timer each time.
void runtime::set_alarm()
{
    if (deadlines_.next() >= alarm_ || lifecycle_.is_stopped())
        return;
    alarm_ = deadlines_.next();
    session_->wake_at(alarm_);
}

void runtime::on_alarm()
{
    alarm_ = core::never;  // first: with the old value, set_alarm() would ignore what run() arms
    deadlines_.run(now());
    set_alarm();
}

// The time until an unknown outcome is that of a time-out, not of a reply, and would spoil the estimate.
void runtime::on_answer(answer const& a)
{
    if (a.outcome != outcome::applied)
        return;
    telemetry_.on_answered(now() - a.sent);
    responses_.add(a.sent, recent());
}

}  // namespace holdfast::engine
