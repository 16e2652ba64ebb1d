//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What several locks cost as one, against one of them, and against all of them one after the other.
#include <deque>

#include "contestants/several_locks.hpp"
#include "support/program.hpp"
#include "support/race.hpp"

namespace holdfast::bench {
namespace {

constexpr std::size_t members = 8;

constexpr auto one_mutex = "one mutex";
constexpr auto many_as_one = "multi_lock of 8 mutexes";
constexpr auto many_at_once = "8 mutexes at once";
constexpr auto many_in_turn = "8 mutexes one by one";

constexpr std::size_t nodes = 5;

constexpr auto nodes_as_one = "red_lock over 5 servers";
constexpr auto nodes_at_once = "a mutex on each at once";
constexpr auto nodes_in_turn = "a mutex on each in turn";

plan quick_plan()
{
    using namespace std::chrono_literals;
    return {.turns = 1, .turn = 100ms, .warm_up = 50ms};
}

void measure_multi_lock(plan const& p, redis_server& server, report& out)
{
    servers const on{server};
    race r(server, p);
    r.enter(make_several_mutexes(on, one_mutex, 1, manner::one_by_one));
    r.enter(make_several_mutexes(on, many_as_one, members, manner::multi_lock));
    r.enter(make_several_mutexes(on, many_at_once, members, manner::at_once));
    r.enter(make_several_mutexes(on, many_in_turn, members, manner::one_by_one));
    out.add(
        1,
        r.run(1),
        {{many_as_one, one_mutex, quantity::median_wait, 1.5},
         {many_as_one, many_at_once, quantity::median_wait, 0},
         {many_as_one, many_in_turn, quantity::median_wait, 0}});
}

// The processor time of servers in the table is that of the first.
void measure_red_lock(plan const& p, redis_server& first, report& out)
{
    std::deque<redis_server> others(nodes - 1);
    servers on{first};
    on.insert(on.end(), others.begin(), others.end());
    race r(first, p);
    r.enter(make_several_mutexes({first}, one_mutex, 1, manner::one_by_one));
    r.enter(make_several_mutexes(on, nodes_as_one, nodes, manner::red_lock));
    r.enter(make_several_mutexes(on, nodes_at_once, nodes, manner::at_once));
    r.enter(make_several_mutexes(on, nodes_in_turn, nodes, manner::one_by_one));
    out.add(
        1,
        r.run(1),
        {{nodes_as_one, nodes_at_once, quantity::median_wait, 1.6},
         {nodes_as_one, one_mutex, quantity::median_wait, 0},
         {nodes_as_one, nodes_in_turn, quantity::median_wait, 0}});
}

void measure(options const& o, redis_server& server, report& out)
{
    auto const p = o.quick ? quick_plan() : plan();
    measure_multi_lock(p, server, out);
    measure_red_lock(p, server, out);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_program("composite", argc, argv, holdfast::bench::measure);
}
