//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REPAIR_RULES_HPP
#define HOLDFAST_REPAIR_RULES_HPP

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/clock.hpp"
#include "core/validity.hpp"

// When a server that lacks a lease of a red_lock is asked for it again. Pure functions, with cases in
// test/unit/repair_rules.cpp.
namespace holdfast::detail {

// Whether a command that was sent after `since` has confirmed a lease which ended at `end_then` then, and ends at `end`
// now. An extension may have moved its end further than a command that was sent then would.
constexpr bool is_confirmed_since(
    core::instant since, core::instant end_then, core::instant end, core::duration lease) noexcept
{
    return end > end_then && end >= core::valid_until(since, lease);
}

// The max_hold of a lease that is granted after `began`, the beginning of the round that the whole was granted in, and
// not after `latest`: so that it ends no later than the whole. In whole milliseconds, as the option; none: nothing is
// left. Zero stands for no limit, as in the option.
constexpr std::optional<std::chrono::milliseconds> rest_of_hold(
    core::duration max_hold, core::instant began, core::instant latest) noexcept
{
    using std::chrono::milliseconds;
    if (max_hold == core::duration::zero())
        return milliseconds(0);
    auto const rest = std::chrono::floor<milliseconds>(max_hold - (latest - began));
    return rest > milliseconds(0) ? std::optional(rest) : std::nullopt;
}

}  // namespace holdfast::detail

#endif
