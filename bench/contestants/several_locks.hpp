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

// How several locks are taken.
enum class manner {
    one_by_one,  // one acquire after the other
    at_once,     // as many acquires, side by side: as fast as the slowest
    multi_lock,  // as one
    red_lock,    // as one, on so many servers; had when most of them are
};

// Takes so many mutexes, dealt out over the servers, and releases them in the same manner. A client for each server.
std::unique_ptr<contestant> make_several_mutexes(servers const&, std::string name, std::size_t count, manner);

}  // namespace holdfast::bench

#endif
