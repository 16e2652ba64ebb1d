//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_REPORT_HPP
#define HOLDFAST_BENCH_SUPPORT_REPORT_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "support/race.hpp"

namespace holdfast::bench {

// What contestants are compared by.
enum class quantity { pairs_per_second, median_wait, p99_wait, server_time };

// What is asked of a contestant, against another one of the same race.
struct target {
    std::string contestant;
    std::string baseline;
    quantity what;
    double bound;  // of the ratio: at least for pairs, at most for times
};

// Prints tables as results come, and keeps everything for the JSON file.
class report {
public:
    report(std::string_view scenario, redis_server&);

    void add(std::size_t contenders, std::vector<result> const&, std::vector<target> const&);

    // A single number, with what is asked of it; 0: nothing.
    void add(std::string_view what, double value, std::string_view unit, double at_most);

    // An empty path: nothing is written.
    void write(std::string const& path);

private:
    void compare(std::vector<result> const&, target const&);

    json_writer json_;
};

}  // namespace holdfast::bench

#endif
