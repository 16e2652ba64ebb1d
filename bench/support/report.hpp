//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_REPORT_HPP
#define HOLDFAST_BENCH_SUPPORT_REPORT_HPP

#include <string>
#include <vector>

#include "support/publication.hpp"
#include "support/race.hpp"

namespace holdfast::bench {

// The quantities by which contestants are compared.
enum class quantity { pairs_per_second, median_wait, p99_wait, client_time, server_time };

// A target for a contestant, relative to another one of the same race.
struct target {
    std::string contestant;
    std::string baseline;
    quantity what;
    double bound;  // of the ratio: a minimum for pairs, a maximum for times; 0: the ratio is shown without a target
};

// Adds the results of a race, and the ratios below them.
void add_race(publication&, std::string const& title, std::vector<result> const&, std::vector<target> const&);

// "100 coroutines".
std::string coroutines(std::size_t);

}  // namespace holdfast::bench

#endif
