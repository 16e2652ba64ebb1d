//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_STATISTICS_HPP
#define HOLDFAST_BENCH_SUPPORT_STATISTICS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::bench {

// The summary of repeated measurements.
struct spread {
    double median = 0, least = 0, most = 0;
};

// A quantile: the value that this share of all values does not exceed. Reorders them.
template <class Value>
Value quantile(std::vector<Value>& values, double share)
{
    if (values.empty())
        return {};
    auto const rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
    auto const at = values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

inline spread spread_of(std::vector<double> values)
{
    if (values.empty())
        return {};
    auto const [least, most] = std::minmax_element(values.begin(), values.end());
    spread s{.least = *least, .most = *most};
    s.median = quantile(values, 0.5);
    return s;
}

// The ratio of the medians, and the least and the greatest ratio within one repetition.
inline spread ratio(std::vector<double> const& a, std::vector<double> const& b)
{
    std::vector<double> each;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        each.push_back(a[i] / b[i]);
    auto s = spread_of(std::move(each));
    s.median = spread_of(a).median / spread_of(b).median;
    return s;
}

}  // namespace holdfast::bench

#endif
