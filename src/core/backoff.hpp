//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_BACKOFF_HPP
#define HOLDFAST_CORE_BACKOFF_HPP

#include <algorithm>
#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::core {

// Returns a duration in [0, most), or zero if `most` is not positive. The caller passes the random number, because core
// has no random generator. The remainder is slightly biased, which does not matter for jitter.
constexpr duration jitter(duration most, std::uint64_t random) noexcept
{
    return most <= duration::zero()
               ? duration::zero()
               : duration(static_cast<duration::rep>(random % static_cast<std::uint64_t>(most.count())));
}

// Exponential backoff with equal jitter: each pause lasts between half of a step and the whole step, and the step
// doubles from `first` up to `most`. The jitter separates clients that failed at the same instant; the fixed half keeps
// any of them from repeating at once.
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
class backoff {
public:
    constexpr backoff(duration first, duration most) noexcept : first_(first), most_(most), step_(first) {}

    constexpr duration next(std::uint64_t random) noexcept
    {
        auto const pause = step_ / 2 + jitter(step_ - step_ / 2, random);
        step_ = std::min(step_ * 2, most_);
        return pause;
    }

    // The cause of the failures has ended: the next pause is short again.
    constexpr void reset() noexcept { step_ = first_; }

private:
    duration first_;
    duration most_;
    duration step_;
};

}  // namespace holdfast::core

#endif
