//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_METRICS_HPP
#define HOLDFAST_CLI_DASHBOARD_METRICS_HPP

#include <cstdint>
#include <string>

#include "tool/dashboard/board.hpp"

namespace holdfast::cli::dashboard {

// The load of the dashboard itself.
struct http_counts {
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;      // by the guard, or because there were too many connections
    std::uint64_t connections = 0;  // gauge
    std::uint64_t streams = 0;      // gauge: of events
};

// The body of /metrics, in the text format of Prometheus. No name of a lock is in it: a label for each lock would make
// the number of time series grow without limit.
std::string metrics_document(board const&, http_counts const&);

}  // namespace holdfast::cli::dashboard

#endif
