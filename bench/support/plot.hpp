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

// An SVG picture with a panel for each table: the bars are the medians of the first column, and a line on each bar
// goes from the least to the greatest value. Rows without values, and rows with `plotted == false`, are left out.
std::string plot(std::vector<table> const&);

}  // namespace holdfast::bench

#endif
