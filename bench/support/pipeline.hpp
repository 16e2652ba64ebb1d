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

// What the server can do with the mutex' commands when nothing else is in its way: one connection on which so many
// acquires are written at once, made beforehand, then as many releases. As redis-benchmark does it with its pipelines;
// that cannot release what it has acquired.
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
