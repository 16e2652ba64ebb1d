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

// What main() of every benchmark does: the command line, a server, the measurement, and its publication. TCP is what
// all libraries can reach. The exit status.
int run_scenario(
    std::string_view name, int argc, char const* const* argv, scenario const&, transport = transport::tcp_loopback);

// What pairs cost. Says below the table what the libraries lack.
void add_pairs(publication&, std::string const& title, std::vector<standing> const&);

// Of pairs per second: the ratio of the medians, the least and the most of those within one repetition; nullopt if one of
// them was not run.
std::optional<spread> ratio_of_rates(std::vector<standing> const&, std::string const& of, std::string const& to);

// All that take locks in bench/peers, ours first.
std::vector<entrant> all_entrants();

}  // namespace holdfast::bench

#endif
