//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_METERS_HPP
#define HOLDFAST_ENGINE_METERS_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <holdfast/stats.hpp>

#include "core/clock.hpp"

namespace holdfast::engine {

// A number that only the strand changes, and any thread may read.
class counter {
public:
    void add(std::int64_t n = 1) noexcept
    {
        value_.store(value_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(n), std::memory_order_relaxed);
    }
    operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_ = 0;
};

// Durations by powers of two of a microsecond.
class meter {
public:
    void add(core::duration d) noexcept
    {
        auto const us = static_cast<std::uint64_t>(std::max<std::int64_t>(d.count() / 1000, 0));
        count_.add();
        buckets_[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(us)), buckets_.size() - 1)].add();
    }
    histogram read() const { return {count_, {buckets_.begin(), buckets_.end()}}; }

private:
    counter count_;
    std::array<counter, histogram::bucket_count> buckets_;
};

struct meters {
    meter wait, hold, renewal_lag, round_trip;
    counter acquired, busy, unavailable, lost, at_risk, handed_off, abandoned;
    counter held, waiting;

    stats read() const
    {
        return {
            wait.read(),
            hold.read(),
            renewal_lag.read(),
            round_trip.read(),
            acquired,
            busy,
            unavailable,
            lost,
            at_risk,
            handed_off,
            abandoned,
            held,
            waiting};
    }
};

}  // namespace holdfast::engine

#endif
