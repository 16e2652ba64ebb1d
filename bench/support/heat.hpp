//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_HEAT_HPP
#define HOLDFAST_BENCH_SUPPORT_HEAT_HPP

#include <chrono>
#include <vector>

namespace holdfast::bench {

using clock = std::chrono::steady_clock;

// A measured period of one contestant: all its contenders acquire and release until the time has passed, and each then
// completes its last pair.
class heat {
public:
    heat(clock::duration length, std::vector<clock::duration>& waits) : end_(clock::now() + length), waits_(waits) {}

    bool goes_on() const { return clock::now() < end_; }

    // A contender was granted its lock.
    void acquired(clock::time_point requested) { waits_.push_back(clock::now() - requested); }

private:
    clock::time_point end_;
    std::vector<clock::duration>& waits_;
};

}  // namespace holdfast::bench

#endif
