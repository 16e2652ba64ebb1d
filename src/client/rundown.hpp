//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RUNDOWN_HPP
#define HOLDFAST_RUNDOWN_HPP

#include <atomic>
#include <cstdint>

namespace holdfast::detail {

// Protects an object that any thread may use until its owner ends it: the end waits for the uses that have begun, and
// refuses later ones. A use costs two atomic operations, and may begin inside another use of the same thread, which a
// std::shared_mutex does not permit. (Windows has it as "run-down protection".)
class rundown {
public:
    // A use, unless the object has ended: test it first.
    class use {
    public:
        explicit use(rundown& of) noexcept : of_(of.try_begin() ? &of : nullptr) {}
        ~use()
        {
            if (of_)
                of_->leave();
        }
        use(use const&) = delete;
        use& operator=(use const&) = delete;
        explicit operator bool() const noexcept { return of_ != nullptr; }

    private:
        rundown* of_;  // null: refused
    };

    bool has_ended() const noexcept { return (state_.load(std::memory_order_acquire) & ended) != 0; }

    // No use begins from now on.
    void refuse() noexcept { state_.fetch_or(ended, std::memory_order_acq_rel); }

    // The same, and returns when no use is left. Precondition: the calling thread has none.
    void end() noexcept
    {
        for (auto now = state_.fetch_or(ended, std::memory_order_acq_rel) | ended; now != ended;) {
            state_.wait(now, std::memory_order_acquire);
            now = state_.load(std::memory_order_acquire);
        }
    }

private:
    static constexpr std::uint32_t ended = 1U << 31;

    bool try_begin() noexcept
    {
        bool const is_granted = (state_.fetch_add(1, std::memory_order_acquire) & ended) == 0;
        if (!is_granted)
            leave();
        return is_granted;
    }
    // Release: what the use has read and written comes before the end.
    void leave() noexcept
    {
        if (state_.fetch_sub(1, std::memory_order_release) == (ended | 1))
            state_.notify_all();
    }

    std::atomic<std::uint32_t> state_ = 0;  // the number of uses, and the bit `ended`
};

}  // namespace holdfast::detail

#endif
