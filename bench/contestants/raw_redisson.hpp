//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_RAW_REDISSON_HPP
#define HOLDFAST_BENCH_CONTESTANTS_RAW_REDISSON_HPP

#include <cstddef>
#include <memory>
#include <string>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

// Sends what a Redisson 4.x client sends for RLock.lock() and unlock() on a single server: two scripts with the effect
// of Redisson's, and the DEL of the unlock latch. Like Redisson, it does not wait for the reply to DEL.
std::unique_ptr<contestant> make_raw_redisson(redis_server&);

// The same for RedissonRedLock, which acquires on one server after the other.
std::unique_ptr<contestant> make_raw_redisson_red(servers const&, std::string name);

// The same for RPermitExpirableSemaphore, on one semaphore with so many permits: two scripts.
std::unique_ptr<contestant> make_raw_redisson_permits(redis_server&, std::string name, std::size_t permits);

// The same for RFairLock without waiters.
std::unique_ptr<contestant> make_raw_redisson_fair(redis_server&);

}  // namespace holdfast::bench

#endif
