//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ALARM_HPP
#define HOLDFAST_REDIS_ALARM_HPP

#include <chrono>
#include <memory>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/wait_traits.hpp>

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
    // On the type of the strand, which ends the process where there is no memory to queue the handler. An any_io_executor
    // would throw, and the client would have no alarm any more.
    boost::asio::basic_waitable_timer<
        std::chrono::steady_clock,
        boost::asio::wait_traits<std::chrono::steady_clock>,
        engine::strand>
        timer_;
};

}  // namespace holdfast::redis

#endif
