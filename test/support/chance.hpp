//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CHANCE_HPP
#define HOLDFAST_TEST_SUPPORT_CHANCE_HPP

#include <bit>
#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::test {

// The only source of randomness of a simulation: the same seed gives the same numbers on every platform, which the
// distributions of the standard library do not. Generator: splitmix64 (Steele, Lea, Flood, 2014).
class chance {
public:
    explicit constexpr chance(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept
    {
        auto z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // [0, n), n > 0.
    constexpr std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }

    // Draws no number for 0: a fault that is not planned does not change the numbers for the others.
    constexpr bool happens(double probability) noexcept
    {
        return probability > 0 && static_cast<double>(next() >> 11) * 0x1p-53 < probability;
    }

    constexpr core::duration between(core::duration least, core::duration most) noexcept
    {
        auto const span = static_cast<std::uint64_t>((most - least).count());
        return least + core::duration(static_cast<core::duration::rep>(span == 0 ? 0 : below(span + 1)));
    }

private:
    std::uint64_t state_;
};

}  // namespace holdfast::test

#endif
