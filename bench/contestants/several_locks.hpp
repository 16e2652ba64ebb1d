//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_SEVERAL_LOCKS_HPP
#define HOLDFAST_BENCH_CONTESTANTS_SEVERAL_LOCKS_HPP

#include <cstddef>
#include <memory>
#include <string>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

// How a contender acquires several locks.
enum class manner {
    one_by_one,  // one acquire after the other
    at_once,     // all acquires concurrently: it takes as long as the slowest of them
    multi_lock,  // as one
    red_lock,    // as one lock; each of the locks is on another server, and a majority is enough
};

// Acquires several mutexes, which are distributed over the servers, and releases them in the same way. It has a client
// for each server.
std::unique_ptr<contestant> make_several_mutexes(servers const&, std::string name, std::size_t count, manner);

}  // namespace holdfast::bench

#endif
