//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_PIPELINE_HPP
#define HOLDFAST_BENCH_SUPPORT_PIPELINE_HPP

#include <chrono>
#include <cstddef>
#include <string>

#include "support/redis_server.hpp"
#include "support/tournament.hpp"

namespace holdfast::bench {

// Measures how many of the mutex' commands the server executes without a client library: over one connection it writes
// many prepared acquires at once, then as many releases. redis-benchmark sends pipelines in the same way, but cannot
// release what it has acquired.
class pipeline {
public:
    pipeline(redis_server&, std::size_t pairs_at_once);

    standing measure(contest const&);

private:
    score take_turn(std::chrono::milliseconds);

    redis_server& server_;
    std::size_t pairs_;
    std::string acquires_, releases_;
};

}  // namespace holdfast::bench

#endif
