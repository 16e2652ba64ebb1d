//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures the gain of hand-off when many coroutines of one process contend for few locks.
#include "contestants/holdfast_lock.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr std::size_t locks = 15;
constexpr std::size_t contenders = 1500;

void measure(options const& o, redis_server& server, publication& out)
{
    using namespace std::chrono_literals;
    race r(
        server,
        o.quick ? plan{.turns = 1, .turn = 200ms, .warm_up = 100ms}
                : plan{.turns = 2, .turn = 500ms, .warm_up = 200ms});
    r.enter(make_mutex(server, {.name = "holdfast mutex, hand-off", .names = locks}));
    r.enter(
        make_mutex(server, {.name = "holdfast mutex, no hand-off", .names = locks, .local_handoff = {.max_count = 0}}));
    add_race(
        out,
        coroutines(contenders) + " for 15 locks",
        r.run(contenders),
        {{"holdfast mutex, hand-off", "holdfast mutex, no hand-off", quantity::pairs_per_second, 5}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario(
        "contended", argc, argv, holdfast::bench::measure, holdfast::bench::transport::unix_socket);
}
