//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_OPTIONS_HPP
#define HOLDFAST_BENCH_SUPPORT_OPTIONS_HPP

#include <string>

namespace holdfast::bench {

// The options of every benchmark. `--help` and an unknown option end the program.
struct options {
    bool quick = false;     // --quick: less than a tenth of the time, for a rough result
    std::string json = {};  // --json FILE: writes the results as JSON
};

options parse_options(int argc, char const* const* argv);

}  // namespace holdfast::bench

#endif
