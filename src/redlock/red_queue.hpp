//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_QUEUE_HPP
#define HOLDFAST_RED_QUEUE_HPP

#include <atomic>
#include <memory>

#include "client/fifo_mutex.hpp"
#include "redlock/round_result.hpp"

namespace holdfast::detail {

// The queue of one process' contenders for one red_lock. Only the first one runs rounds, so that they do not compete
// with each other for a majority. The others learn from its rounds why they wait. Thread-safe.
class red_queue final : public fifo_mutex {
public:
    static std::shared_ptr<fifo_mutex> make() { return std::make_shared<red_queue>(); }

    void record(round_result r) noexcept
    {
        if (r != round_result::inconclusive)
            last_.store(r, std::memory_order_relaxed);
    }
    // The result of the last conclusive round.
    round_result last() const noexcept { return last_.load(std::memory_order_relaxed); }

private:
    std::atomic<round_result> last_ = round_result::inconclusive;
};

}  // namespace holdfast::detail

#endif
