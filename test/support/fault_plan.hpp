//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_FAULT_PLAN_HPP
#define HOLDFAST_TEST_SUPPORT_FAULT_PLAN_HPP

#include <chrono>

#include "core/clock.hpp"

namespace holdfast::test {

struct span_of_time {
    core::duration least;
    core::duration most;
};

// The faults of a server, each with its own probability. By default there are none.
struct fault_plan {
    // For each command sent. TCP loses no message alone: what follows on that connection is lost, too, and its client
    // notices it after `network_options::detection`.
    double lose_request = 0;
    double lose_reply = 0;
    double delay_request = 0;  // by `delay`; it may be executed after its connection died
    double disconnect = 0;     // in half of the cases, what is under way still arrives
    double split_write = 0;    // the rest of one write arrives later

    // For each attempt to connect.
    double refuse_connect = 0;

    // For each message to a subscriber.
    double drop_push = 0;
    // For each read of a client: messages are delivered before the replies that arrived with them, as happens if they
    // pass through different queues.
    double early_push = 0;

    // For each command executed, after it.
    double pause_server = 0;    // for `pause`
    double restart_server = 0;  // down for `pause`
    double lose_data = 1;       // of a restart: without persistence
    double delete_key = 0;      // any key
    double flush_scripts = 0;
    double step_clock = 0;  // the server's wall clock, by `step`

    span_of_time delay = {std::chrono::milliseconds(50), std::chrono::seconds(5)};
    span_of_time pause = {std::chrono::milliseconds(10), std::chrono::seconds(4)};
    span_of_time step = {std::chrono::seconds(-5), std::chrono::seconds(5)};
};

// The network without faults: how long a message is under way in each direction.
struct network_options {
    span_of_time delay = {std::chrono::microseconds(100), std::chrono::milliseconds(1)};
    core::duration detection = std::chrono::seconds(3);  // until a silent connection is closed
};

}  // namespace holdfast::test

#endif
