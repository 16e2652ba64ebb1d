//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_SECOND_LOOK_HPP
#define HOLDFAST_CORE_SECOND_LOOK_HPP

#include "core/clock.hpp"

namespace holdfast::core {

// Whether a deadline fires too late to say that a reply is missing: the process was stopped, or had no processor time.
// The reply may have arrived meanwhile, and the event loop runs its timers before it reads from the sockets.
constexpr bool is_late(instant due, instant now) noexcept
{
    return now - due > std::chrono::milliseconds(5);
}

// Lets a deadline that fires late look again, once, when the event loop has read from the sockets.
class second_look {
public:
    // When to look again; `now`: the deadline judges at once.
    constexpr instant after(instant due, instant now) noexcept
    {
        bool const judges = due == again_ || !is_late(due, now);
        return again_ = judges ? now : now + std::chrono::milliseconds(50);
    }

private:
    instant again_ = never;
};

}  // namespace holdfast::core

#endif
