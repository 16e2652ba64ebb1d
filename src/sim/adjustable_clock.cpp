//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/adjustable_clock.hpp"

#include <ctime>
#include <utility>

namespace holdfast::simulated {

core::instant boot_time() noexcept
{
#ifdef CLOCK_BOOTTIME
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return core::instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
#else
    // A system without that clock: its steady clock may stop while the host sleeps.
    return core::instant(std::chrono::steady_clock::now().time_since_epoch());
#endif
}

// Added before anybody is told: what reads the clock from then on sees the new time. Without the mutex while it tells,
// because a listener may be destroyed by that.
void adjustable_clock::advance(core::duration d)
{
    std::vector<std::shared_ptr<clock_listener>> all;
    {
        std::lock_guard const guard(mutex_);
        added_ = added_.load() + d;
        for (auto const& l : listeners_)
            if (auto alive = l.lock())
                all.push_back(std::move(alive));
    }
    for (auto const& l : all)
        l->on_advanced();
}

void adjustable_clock::tell(std::weak_ptr<clock_listener> l)
{
    std::lock_guard const guard(mutex_);
    std::erase_if(listeners_, [](auto const& known) { return known.expired(); });
    listeners_.push_back(std::move(l));
}

}  // namespace holdfast::simulated
