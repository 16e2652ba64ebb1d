//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_ATTEMPT_WIDTH_HPP
#define HOLDFAST_CORE_ATTEMPT_WIDTH_HPP

#include <algorithm>
#include <cstddef>

namespace holdfast::core {

// How many contenders the next attempt for a semaphore serves. With one for each attempt, a thousand contenders would
// need a thousand round trips even if there were permits for all. With all of them in each attempt, those that wait for
// a single permit would cost the server time in each attempt of the first. So the width doubles with each attempt that
// is granted to all, and falls to the number of grants where permits are short.
class attempt_width {
public:
    // The most contenders of an attempt, and the most permits that several of them ask for. Each permit adds to the time
    // for which the script keeps the server from other commands: about 0.1 ms for so many. With half as many the server
    // would spend twice the time on each, because it searches timeouts of up to 128 members one by one, and the grants
    // of two attempts are held at a time.
    static constexpr std::size_t widest = 100;

    constexpr std::size_t now() const noexcept { return width_; }
    constexpr void on_all_granted() noexcept { width_ = std::min(2 * width_, widest); }
    constexpr void on_granted(std::size_t some) noexcept { width_ = std::clamp<std::size_t>(some, 1, widest); }

private:
    std::size_t width_ = 1;
};

}  // namespace holdfast::core

#endif
