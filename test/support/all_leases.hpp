//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_ALL_LEASES_HPP
#define HOLDFAST_TEST_SUPPORT_ALL_LEASES_HPP

#include <algorithm>
#include <vector>

#include <holdfast/lease.hpp>

namespace holdfast::test {

inline bool are_valid(std::vector<lease> const& all)
{
    return std::ranges::all_of(all, [](lease const& l) { return l.valid() && l.state() != lease_state::lost; });
}

// Whether all are valid, and none is at risk.
inline bool are_held(std::vector<lease> const& all)
{
    return std::ranges::all_of(all, [](lease const& l) { return l.valid() && l.state() == lease_state::held; });
}

}  // namespace holdfast::test

#endif
