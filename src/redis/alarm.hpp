//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ALARM_HPP
#define HOLDFAST_REDIS_ALARM_HPP

#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "core/clock.hpp"
#include "engine/port/strand.hpp"
#include "session/environment.hpp"

namespace holdfast::redis {

// Implements session::environment::wake_at() with one timer of Asio (rule 24). A pending wait keeps the object alive,
// even after its environment was destroyed; it refers to the session weakly. On the strand.
class alarm : public std::enable_shared_from_this<alarm> {
public:
    alarm(engine::strand const& on, std::weak_ptr<session::clock_events> to) : to_(std::move(to)), timer_(on) {}

    void stop() noexcept;

    void wake_at(core::instant);

private:
    void wait();
    void on_timer();

    std::weak_ptr<session::clock_events> to_;  // empty after stop()
    core::instant at_ = core::never;           // the requested instant; never: none
    boost::asio::steady_timer timer_;
};

}  // namespace holdfast::redis

#endif
