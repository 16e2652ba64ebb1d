//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_PROGRAM_HPP
#define HOLDFAST_BENCH_SUPPORT_PROGRAM_HPP

#include <functional>
#include <string_view>

#include "support/options.hpp"
#include "support/redis_server.hpp"
#include "support/report.hpp"

namespace holdfast::bench {

using measurement = std::function<void(options const&, redis_server&, report&)>;

// What main() of every benchmark does: the command line, a server, the measurement, and its report. The exit status.
int run_program(std::string_view scenario, int argc, char const* const* argv, measurement const&);

}  // namespace holdfast::bench

#endif
