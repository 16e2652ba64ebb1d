//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_TURN_BUDGET_HPP
#define HOLDFAST_CORE_TURN_BUDGET_HPP

#include <cstddef>

#include "core/clock.hpp"

namespace holdfast::core {

// How many pieces of one kind of work a client does in one turn of the event loop: messages that it reads, deadlines that
// it runs, renewals that it sends, readers that it lets in. With thousands of leases or contenders, the other handlers of
// the loop run in between. A piece takes a few microseconds. A larger budget saves nothing: the cost of a write is spread
// over a thousand commands already.
inline constexpr std::size_t turn_budget = 1'000;

// When the rest of the work is due: after `now`, up to which a turn runs what is due.
constexpr instant next_turn(instant now) noexcept
{
    return now + duration(1);
}

}  // namespace holdfast::core

#endif
