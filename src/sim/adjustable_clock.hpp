//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_ADJUSTABLE_CLOCK_HPP
#define HOLDFAST_TESTING_ADJUSTABLE_CLOCK_HPP

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::simulated {

// CLOCK_BOOTTIME, where there is one: it runs while the host sleeps (rule 2).
core::instant boot_time() noexcept;

// Is told that the clock was advanced, on the thread that did so.
class clock_listener {
public:
    virtual void on_advanced() = 0;

protected:
    ~clock_listener() = default;
};

// The time of a memory_server and of its clients: real time, and what a test has added to it. Thread-safe.
class adjustable_clock {
public:
    core::instant now() const noexcept { return boot_time() + added_.load(); }
    void advance(core::duration);
    // Told of each advance while it exists.
    void tell(std::weak_ptr<clock_listener>);

private:
    std::atomic<core::duration> added_{core::duration::zero()};
    std::mutex mutex_;
    std::vector<std::weak_ptr<clock_listener>> listeners_;
};

}  // namespace holdfast::simulated

#endif
