//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ALARM_HPP
#define HOLDFAST_REDIS_ALARM_HPP

#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "core/clock.hpp"
#include "engine/session.hpp"
#include "engine/strand.hpp"

namespace holdfast::redis {

// engine::session::wake_at() over one timer of Asio.
class alarm : public std::enable_shared_from_this<alarm> {
public:
    explicit alarm(engine::strand const& on) : timer_(on) {}

    void start(engine::session_events& events) noexcept { events_ = &events; }
    void stop();

    void wake_at(core::instant);

private:
    void wait();
    void on_timer();

    engine::session_events* events_ = nullptr;  // null before start() and after stop()
    core::instant at_ = core::never;
    boost::asio::steady_timer timer_;
};

}  // namespace holdfast::redis

#endif
