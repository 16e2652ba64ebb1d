//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_PLOT_HPP
#define HOLDFAST_BENCH_SUPPORT_PLOT_HPP

#include <string>
#include <vector>

#include "support/publication.hpp"

namespace holdfast::bench {

// An SVG picture: for each table a panel of bars from 0, the medians of the first column, each with a line from least
// to most. Rows without figures are left out, and those that say so.
std::string plot(std::vector<table> const&);

}  // namespace holdfast::bench

#endif
