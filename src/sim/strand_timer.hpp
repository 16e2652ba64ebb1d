//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_STRAND_TIMER_HPP
#define HOLDFAST_TESTING_STRAND_TIMER_HPP

#include <chrono>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/wait_traits.hpp>

#include "engine/port/strand.hpp"

namespace holdfast::simulated {

// A timer whose handler the strand of a client queues, as that of redis::alarm.
using strand_timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock,
    boost::asio::wait_traits<std::chrono::steady_clock>,
    engine::strand>;

}  // namespace holdfast::simulated

#endif
