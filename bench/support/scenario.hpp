//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_SCENARIO_HPP
#define HOLDFAST_BENCH_SUPPORT_SCENARIO_HPP

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/options.hpp"
#include "support/publication.hpp"
#include "support/redis_server.hpp"
#include "support/tournament.hpp"

namespace holdfast::bench {

using scenario = std::function<void(options const&, redis_server&, publication&)>;

// Called by main() of every benchmark: parses the command line, starts a server, measures, and publishes the results.
// The default transport is TCP, which all libraries support. Returns the exit status.
int run_scenario(
    std::string_view name, int argc, char const* const* argv, scenario const&, transport = transport::tcp_loopback);

// Adds a table with the costs of a pair, and below it a note on the features that the libraries lack.
void add_pairs(publication&, std::string const& title, std::vector<standing> const&);

// The ratio of two rates, in pairs per second: that of the medians, and the least and the greatest ratio within one
// repetition. nullopt if one of the two was not run.
std::optional<spread> ratio_of_rates(std::vector<standing> const&, std::string const& of, std::string const& to);

// All programs of bench/peers that acquire locks; Holdfast's first.
std::vector<entrant> all_entrants();

}  // namespace holdfast::bench

#endif
