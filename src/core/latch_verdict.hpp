//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_LATCH_VERDICT_HPP
#define HOLDFAST_CORE_LATCH_VERDICT_HPP

#include <cstdint>
#include <optional>

namespace holdfast::core {

// What the server says of a latch: the reply of latch_state.lua.
struct latch_state {
    std::int64_t left = 0;
    std::int64_t generation = 0;  // negative: the latch was removed, and not set since; 0: unknown, and says nothing
    std::int64_t removals = 0;    // changes with each removal
};

enum class latch_verdict : std::uint8_t { closed, open, removed };

// What a waiter concludes that has read `first` at its beginning, and reads `now`. Without `first` it begins. A removal
// decides also if the latch was open in between: a wait that is called off never looks like success.
constexpr latch_verdict judge_latch(std::optional<latch_state> const& first, latch_state const& now) noexcept
{
    bool const is_same = !first || now.generation == 0 || now.generation == first->generation;
    // The mark of a removal that this waiter has read at its beginning stands for an earlier latch of this name: a client
    // of Redisson has set the present one.
    bool const is_marked = now.generation < 0 && (!first ? now.left == 0 : !is_same);
    bool const was_removed = !is_same && first->generation != 0 && now.removals != first->removals;
    if (is_marked || was_removed)
        return latch_verdict::removed;
    // Another generation: the latch was open in between.
    return now.left == 0 || !is_same ? latch_verdict::open : latch_verdict::closed;
}

}  // namespace holdfast::core

#endif
