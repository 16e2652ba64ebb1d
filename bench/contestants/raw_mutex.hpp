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

// The commands of holdfast::mutex, sent by hand: what a program would do that has Boost.Redis and no lock library. It
// has no watchdog, no deadline, no answer to a lost reply, and it cannot wait.
std::unique_ptr<contestant> make_raw_mutex(redis_server&);

}  // namespace holdfast::bench

#endif
