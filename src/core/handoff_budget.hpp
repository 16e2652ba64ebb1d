//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_HANDOFF_BUDGET_HPP
#define HOLDFAST_CORE_HANDOFF_BUDGET_HPP

#include "core/clock.hpp"

namespace holdfast::core {

// How long this process may keep a lock among its own coroutines while others may be waiting: counted in tenures in a
// row and in time, from the first of them.
// Source: lock cohorting; D. Dice, V. Marathe, N. Shavit, PPoPP 2012 ("may-pass-local").
class handoff_budget {
public:
    constexpr handoff_budget(unsigned max_count, duration max_time) noexcept
        : max_count_(max_count), max_time_(max_time)
    {}

    // The lock was won from others, or nobody here waited: a new row begins.
    constexpr void reset(instant now) noexcept
    {
        count_ = 0;
        since_ = now;
    }

    // Another tenure in the row, if the budget lasts.
    constexpr bool spend(instant now) noexcept
    {
        if (count_ >= max_count_ || now - since_ >= max_time_)
            return false;
        ++count_;
        return true;
    }

private:
    unsigned max_count_;
    unsigned count_ = 0;
    duration max_time_;
    instant since_{};
};

}  // namespace holdfast::core

#endif
