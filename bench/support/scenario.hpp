//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_SCENARIO_HPP
#define HOLDFAST_BENCH_SUPPORT_SCENARIO_HPP

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/options.hpp"
#include "support/publication.hpp"
#include "support/redis_server.hpp"
#include "support/tournament.hpp"

namespace holdfast::bench {

using scenario = std::function<void(options const&, redis_server&, publication&)>;

// What main() of a benchmark with several processes does: the command line, a server on TCP, for all libraries can
// reach that, the measurement, and its publication. The exit status.
int run_scenario(std::string_view name, int argc, char const* const* argv, scenario const&);

// What pairs cost. Says below the table what the libraries lack.
void add_pairs(publication&, std::string const& title, std::vector<standing> const&);

// The ratio of the medians of pairs per second; 0 if one of them was not run.
double ratio_of_rates(std::vector<standing> const&, std::string const& of, std::string const& to);

// All that take locks in bench/peers, ours first.
std::vector<entrant> all_entrants();

}  // namespace holdfast::bench

#endif
