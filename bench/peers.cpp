//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Acquire and release when nobody is in the way, beside the libraries of bench/peers: 1 to 1,000 at once, on distinct
// names, in one process.
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

void measure(options const& o, redis_server& server, publication& out)
{
    using namespace std::chrono_literals;
    auto entrants = all_entrants();
    entrants.push_back({"one PING, for comparison", "holdfast", "ping"});
    for (std::size_t const contenders : {1u, 10u, 100u, 1000u}) {
        contest c{.contenders = contenders, .names = contenders, .warm_up = 2s};
        if (o.quick)
            c.turn = c.warm_up = 100ms, c.repetitions = 3;
        add_pairs(out, std::to_string(contenders) + " at once", hold_contest(server, entrants, c));
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("peers", argc, argv, holdfast::bench::measure);
}
