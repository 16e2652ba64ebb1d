//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_PACE_HPP
#define HOLDFAST_CLI_DASHBOARD_PACE_HPP

#include <algorithm>
#include <chrono>

namespace holdfast::cli::dashboard {

// How long the collector waits between two steps, so that the server spends on them at most this share of one core.
struct pace {
    using duration = std::chrono::nanoseconds;

    double share = 0.006;                                   // of the time of the server
    duration most_for_key = std::chrono::microseconds(25);  // what one key can cost
    duration shortest = std::chrono::milliseconds(10);

    // `step`: the time from the call to its reply. `empty`: the same for a call that reads nothing, so the way there
    // and back. Their difference is what the server spent on it, or waited for others; at most what `keys` can cost: a
    // delay of the network, or of this process, must not stop the survey for a minute. The evaluation of the two
    // scripts costs the server about 30 us.
    duration pause_after(duration step, duration empty, unsigned keys) const
    {
        auto const most = most_for_key * keys;
        auto const cost = std::clamp(step - empty, duration::zero(), most) + std::chrono::microseconds(30);
        auto const pause = std::chrono::duration<double, std::nano>(static_cast<double>(cost.count()) / share);
        return std::max(std::chrono::duration_cast<duration>(pause), shortest);
    }
};

// Until all keys were looked at once, the dashboard shows only a part of the locks: the first pass may cost more.
inline pace pace_for(bool is_complete)
{
    pace p;
    if (!is_complete)
        p.share = 0.05;
    return p;
}

}  // namespace holdfast::cli::dashboard

#endif
