//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_GROWTH_HPP
#define HOLDFAST_TEST_GROWTH_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>

namespace holdfast::test {

// The processor time of this thread.
inline std::chrono::nanoseconds processor_time()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

// How many times as much processor time sixteen times as much work takes: about 16 if the work is linear, 256 if each
// piece of it reads all others. `work(n)` returns the time that the n pieces took. This is for work that no test can
// count. A busy machine disturbs some rounds more than others: of ten rounds the first one below `most` counts, and
// quadratic work is never below it.
template <class Work>
double growth(char const* what, std::size_t few, double most, Work work)
{
    std::chrono::nanoseconds of_few{}, of_many{};
    double times = most;
    for (int round = 0; round < 10 && times >= most; ++round) {
        of_few = work(few);
        of_many = work(16 * few);
        times = double(of_many.count()) / double(std::max<std::chrono::nanoseconds::rep>(of_few.count(), 1));
    }
    std::printf(
        "figure  %s: %zu take %.1f us, %zu %.1f times as much\n",
        what,
        few,
        double(of_few.count()) / 1e3,
        16 * few,
        times);
    return times;
}

}  // namespace holdfast::test

#endif
