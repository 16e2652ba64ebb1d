//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_MOMENT_HPP
#define HOLDFAST_CLI_DASHBOARD_MOMENT_HPP

#include <chrono>
#include <cstdint>

namespace holdfast::cli::dashboard {

using instant = std::chrono::steady_clock::time_point;

// A point in time on both clocks: durations need the steady one, and the page shows the other one.
struct moment {
    instant at;
    std::int64_t wall_ms;  // since 1970

    static moment now()
    {
        using namespace std::chrono;
        return {steady_clock::now(), duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
    }
};

}  // namespace holdfast::cli::dashboard

#endif
