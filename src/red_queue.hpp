//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_QUEUE_HPP
#define HOLDFAST_RED_QUEUE_HPP

#include <atomic>

#include "round_result.hpp"
#include "turnstile.hpp"

namespace holdfast::detail {

// The queue of the contenders of one process for one red_lock. Its head runs rounds; the others learn from them why they
// wait. Any thread.
class red_queue final : public turnstile {
public:
    void note(round_result r) noexcept
    {
        if (r != round_result::inconclusive)
            last_.store(r, std::memory_order_relaxed);
    }
    // What the last conclusive round showed.
    round_result last() const noexcept { return last_.load(std::memory_order_relaxed); }

private:
    std::atomic<round_result> last_ = round_result::inconclusive;
};

}  // namespace holdfast::detail

#endif
