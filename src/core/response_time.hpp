//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_RESPONSE_TIME_HPP
#define HOLDFAST_CORE_RESPONSE_TIME_HPP

#include <algorithm>

#include "core/clock.hpp"

namespace holdfast::core {

// How fast the server answers, estimated from its answers. One stall must not spoil the estimate: all commands that it
// held up count as one sample, and a sample counts as at most eight times the average before it, or 8 ms.
class response_time {
public:
    static constexpr duration longest_sample = std::chrono::milliseconds(250);
    static constexpr duration least_answer_timeout = std::chrono::milliseconds(25);

    constexpr void add(instant sent, instant answered) noexcept
    {
        if (sent < last_answer_)
            return;
        bool const is_first = last_answer_ == instant::min();
        last_answer_ = answered;
        auto const most = std::min(std::max<duration>(8 * average_, std::chrono::milliseconds(8)), longest_sample);
        auto const sample = std::min(answered - sent, is_first ? longest_sample : most);
        average_ += is_first ? sample - average_ : (sample - average_) / 8;
        slowest_ = is_first ? sample : std::max(sample, slowest_ - (slowest_ - sample) / 8);
    }

    constexpr duration average() const noexcept { return average_; }

    // An answer that takes longer is overdue: something is wrong with the server or with the way to it.
    constexpr duration answer_timeout(duration command_timeout) const noexcept
    {
        return std::min(std::max(8 * slowest_, least_answer_timeout), command_timeout);
    }

private:
    instant last_answer_ = instant::min();
    duration average_ = std::chrono::milliseconds(1);
    duration slowest_ = average_;  // of the last ones
};

}  // namespace holdfast::core

#endif
