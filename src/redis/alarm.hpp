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

// session::environment::wake_at() over one timer of Asio.
class alarm : public std::enable_shared_from_this<alarm> {
public:
    alarm(engine::strand const& on, std::weak_ptr<session::clock_events> to) : to_(std::move(to)), timer_(on) {}

    void stop() noexcept;

    void wake_at(core::instant);

private:
    void wait();
    void on_timer();

    std::weak_ptr<session::clock_events> to_;  // nobody after stop()
    core::instant at_ = core::never;
    boost::asio::steady_timer timer_;
};

}  // namespace holdfast::redis

#endif
