//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_HANDOFF_BUDGET_HPP
#define HOLDFAST_CORE_HANDOFF_BUDGET_HPP

#include "core/clock.hpp"

namespace holdfast::core {

// Limits how long a process keeps a lock among its own coroutines while other processes may wait for it. Without a
// limit, a busy process would hand the grant from coroutine to coroutine for ever. The budget counts the hand-offs in a
// row, and the time since the first tenure of that row; the exclusive arbiter of the lock owns it.
// Source: lock cohorting; D. Dice, V. Marathe, N. Shavit, PPoPP 2012 ("may-pass-local").
class handoff_budget {
public:
    constexpr handoff_budget(unsigned max_count, duration max_time) noexcept
        : max_count_(max_count), max_time_(max_time)
    {}

    // A new row begins: the process acquired the grant from the server, after other processes had, or were offered, a
    // turn, or when no coroutine of this process waited.
    constexpr void reset(instant now) noexcept
    {
        count_ = 0;
        since_ = now;
    }

    // Counts another hand-off in the row. Returns false, and counts nothing, if the budget is spent.
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
