//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures an acquire and a release without contention: distinct names, one connection.
#include <vector>

#include "contestants/holdfast_lock.hpp"
#include "contestants/raw_mutex.hpp"
#include "contestants/raw_redisson.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto mutex_name = "holdfast::mutex";
constexpr auto reentrant_name = "holdfast::reentrant_lock";
constexpr auto raw_name = "raw loop, mutex' commands";
constexpr auto redisson_name = "raw loop, Redisson's scripts";
constexpr auto fair_name = "holdfast::fair_lock";
constexpr auto redisson_fair_name = "raw loop, Redisson's fair scripts";

plan quick_plan()
{
    using namespace std::chrono_literals;
    return {.turns = 1, .turn = 100ms, .warm_up = 50ms};
}

// A bound of 0 means no target.
std::vector<target> targets(std::size_t contenders)
{
    bool const alone = contenders == 1;
    bool const crowd = contenders == 1000;
    std::vector<target> all{
        {mutex_name, raw_name, quantity::pairs_per_second, crowd ? 1.2 : 0},
        {mutex_name, redisson_name, quantity::pairs_per_second, crowd ? 1.7 : 0},
        {reentrant_name, redisson_name, quantity::pairs_per_second, crowd ? 1.2 : 0},
        {mutex_name, redisson_name, quantity::server_time, crowd ? 0.55 : 0},
        {reentrant_name, redisson_name, quantity::server_time, crowd ? 0.8 : 0},
        {fair_name, redisson_fair_name, quantity::pairs_per_second, 0},
        {fair_name, redisson_fair_name, quantity::server_time, crowd ? 0.8 : 0},
        {mutex_name, raw_name, quantity::median_wait, alone ? 1.15 : 0},
        {mutex_name, raw_name, quantity::p99_wait, alone ? 1.15 : 0}};
    return all;
}

void measure(options const& o, redis_server& server, publication& out)
{
    race r(server, o.quick ? quick_plan() : plan());
    r.enter(make_mutex(server, {.name = mutex_name}));
    r.enter(make_raw_mutex(server));
    r.enter(make_reentrant_lock(server, {.name = reentrant_name}));
    r.enter(make_raw_redisson(server));
    r.enter(make_fair_lock(server, {.name = fair_name}));
    r.enter(make_raw_redisson_fair(server));
    for (std::size_t const contenders : {1u, 10u, 100u, 1000u})
        if (!o.quick || contenders == 1 || contenders == 1000)
            add_race(out, coroutines(contenders), r.run(contenders), targets(contenders));
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario(
        "uncontended", argc, argv, holdfast::bench::measure, holdfast::bench::transport::unix_socket);
}
