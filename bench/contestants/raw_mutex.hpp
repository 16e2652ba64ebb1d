//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_RAW_MUTEX_HPP
#define HOLDFAST_BENCH_CONTESTANTS_RAW_MUTEX_HPP

#include <memory>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

// Sends the commands of holdfast::mutex with Boost.Redis, as a program without a lock library would. It has no watchdog
// and no deadline, it does not handle a lost reply, and it cannot wait.
std::unique_ptr<contestant> make_raw_mutex(redis_server&);

}  // namespace holdfast::bench

#endif
