//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_RESPONSE_TIME_HPP
#define HOLDFAST_CORE_RESPONSE_TIME_HPP

#include <algorithm>

#include "core/clock.hpp"

namespace holdfast::core {

// Estimates how fast the server replies, from the replies to attempts. One stall of the server must not spoil the
// estimate, because the length of a yield depends on it: all commands that the stall delayed count as one sample, and a
// sample counts as at most eight times the average before it (or 8 ms, so that an average of zero can grow again).
class response_time {
public:
    // The limit of every sample, including the first one, which has no average before it.
    static constexpr duration longest_sample = std::chrono::milliseconds(250);
    // A fast server may be late by this much without a fault.
    static constexpr duration least_answer_timeout = std::chrono::milliseconds(25);

    // Ignores a command that was under way when the last sample ended: the same stall may have delayed both.
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

    // A reply that takes longer is overdue: the server or the network has a fault. It depends on the slowest of the
    // last replies, not on the average: a server that is slow now and then is not faulty.
    constexpr duration answer_timeout(duration command_timeout) const noexcept
    {
        return std::min(std::max(8 * slowest_, least_answer_timeout), command_timeout);
    }

private:
    instant last_answer_ = instant::min();
    duration average_ = std::chrono::milliseconds(1);  // a guess, until the first reply
    duration slowest_ = average_;                      // of the last replies: it decays towards shorter samples
};

}  // namespace holdfast::core

#endif
