//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Compares a composite lock with a single lock, and with the same locks acquired one after the other.
#include <deque>
#include <string>

#include "contestants/raw_redisson.hpp"
#include "contestants/several_locks.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto one_mutex = "one mutex";
constexpr std::size_t crowd = 100;  // coroutines, each with its own lock names

plan make_plan(bool quick)
{
    return quick ? plan{.repetitions = 3, .turns = 1, .turn = 100ms, .warm_up = 50ms}
                 : plan{.turns = 1, .turn = 300ms, .warm_up = 200ms};
}

void measure_multi_lock(plan const& p, redis_server& server, publication& out, std::size_t members)
{
    servers const on{server};
    auto const of = std::to_string(members) + " mutexes";
    auto const as_one = "holdfast multi_lock of " + of;
    race r(server, p);
    r.enter(make_several_mutexes(on, one_mutex, 1, manner::one_by_one));
    r.enter(make_several_mutexes(on, as_one, members, manner::multi_lock));
    r.enter(make_several_mutexes(on, of + " at once", members, manner::at_once));
    r.enter(make_several_mutexes(on, of + " one by one", members, manner::one_by_one));
    add_race(
        out,
        coroutines(1) + ", " + of,
        r.run(1),
        {{as_one, one_mutex, quantity::median_wait, members == 8 ? 1.5 : 0},
         {as_one, of + " at once", quantity::median_wait, 0},
         {as_one, of + " one by one", quantity::median_wait, 0}});
}

// The table has the processor time of the first server only.
void measure_red_lock(plan const& p, redis_server& first, publication& out, std::size_t nodes)
{
    std::deque<redis_server> others;
    while (others.size() < nodes - 1)
        others.emplace_back(transport::tcp_loopback);
    servers on{first};
    on.insert(on.end(), others.begin(), others.end());
    auto const over = " over " + std::to_string(nodes) + " servers";
    auto const as_one = "holdfast red_lock" + over;
    constexpr auto at_once = "a mutex on each at once";
    constexpr auto in_turn = "a mutex on each in turn";
    constexpr auto as_redisson = "Redisson's scripts on each in turn";  // as its RedLock does
    bool const has_target = nodes == 5;
    race r(first, p);
    r.enter(make_several_mutexes({first}, one_mutex, 1, manner::one_by_one));
    r.enter(make_several_mutexes(on, as_one, nodes, manner::red_lock));
    r.enter(make_several_mutexes(on, at_once, nodes, manner::at_once));
    r.enter(make_several_mutexes(on, in_turn, nodes, manner::one_by_one));
    r.enter(make_raw_redisson_red(on, as_redisson));
    add_race(
        out,
        coroutines(1) + over,
        r.run(1),
        {{as_one, one_mutex, quantity::median_wait, has_target ? 1.6 : 0},
         {as_one, at_once, quantity::median_wait, has_target ? 1.6 : 0},
         {as_one, in_turn, quantity::median_wait, 0},
         {as_one, in_turn, quantity::pairs_per_second, 0},
         {as_one, as_redisson, quantity::pairs_per_second, has_target ? 2.0 : 0}});
    add_race(
        out,
        coroutines(crowd) + over,
        r.run(crowd),
        {{as_one, as_redisson, quantity::pairs_per_second, has_target ? 2.0 : 0},
         {as_one, in_turn, quantity::pairs_per_second, 0},
         {as_one, at_once, quantity::pairs_per_second, 0}});
}

void measure(options const& o, redis_server& server, publication& out)
{
    auto const p = make_plan(o.quick);
    for (std::size_t const members : {2u, 8u, 32u})
        measure_multi_lock(p, server, out, members);
    for (std::size_t const nodes : {3u, 5u})
        measure_red_lock(p, server, out, nodes);
    out.note("coroutines want distinct names; all servers and clients share the machine, over TCP loopback");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario(
        "composite", argc, argv, holdfast::bench::measure, holdfast::bench::transport::tcp_loopback);
}
