//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A fair lock with 200 waiters in 4 processes. Compares Holdfast with Redisson.
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

void measure(options const& o, redis_server& server, publication& out)
{
    using namespace std::chrono_literals;
    std::vector<entrant> const entrants{
        {"holdfast fair_lock", "holdfast", "fair"},
        {"Redisson RFairLock, threads", "redisson", "fair_threads"},
        {"Redisson RFairLock, asynchronous", "redisson", "fair_async"}};
    std::size_t const processes = o.quick ? 1 : 4;
    tournament fair(server, entrants, processes);
    for (auto const hold : {0ms, 5ms}) {
        contest c{.contenders = 200 / processes, .names = 1, .hold = hold, .turn = 2s, .warm_up = 1s};
        if (o.quick && hold == 0ms)
            continue;
        if (o.quick)
            c.turn = 500ms, c.warm_up = 300ms, c.repetitions = 2;
        add_pairs(
            out,
            "200 in " + std::to_string(processes) + " processes, " + std::to_string(hold.count()) + " ms",
            fair.hold(c));
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("queue", argc, argv, holdfast::bench::measure);
}
