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
// with each other for a majority. It records the results here: a contender whose wait ends in the queue completes as
// busy or with no_quorum, depending on the last result. Thread-safe.
class red_queue final : public fifo_mutex {
public:
    static std::shared_ptr<fifo_mutex> make() { return std::make_shared<red_queue>(); }

    // A round that was cut short shows nothing new. Relaxed: no other memory is read because of the result.
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
