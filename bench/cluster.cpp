//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures what a Redis Cluster costs: one server, a cluster of one node, and one of three, with distinct names.
#include "contestants/holdfast_lock.hpp"
#include "support/race.hpp"
#include "support/redis_cluster.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto plain = "one server";
constexpr auto single = "cluster of one node";
constexpr auto triple = "cluster of three nodes";

plan make_plan(bool quick)
{
    using namespace std::chrono_literals;
    return quick ? plan{.repetitions = 3, .turns = 1, .turn = 100ms, .warm_up = 50ms} : plan{};
}

// The client's work for a pair grows with the number of servers, because each gets smaller batches.
double most_client_time(std::size_t contenders)
{
    switch (contenders) {
        case 100: return 1.35;
        case 1000: return 1.1;
        default: return 0;
    }
}

void measure(options const& o, redis_server& server, publication& out)
{
    redis_cluster one(1), three(3);
    servers all{server};
    all.insert(all.end(), one.nodes().begin(), one.nodes().end());
    all.insert(all.end(), three.nodes().begin(), three.nodes().end());
    race r(all, make_plan(o.quick));
    r.enter(make_mutex(server, {.name = plain}));
    r.enter(make_mutex(server, {.name = single, .url = one.url()}));
    r.enter(make_mutex(server, {.name = triple, .url = three.url()}));
    for (std::size_t const contenders : {1u, 100u, 1000u}) {
        if (o.quick && contenders == 1)
            continue;
        add_race(
            out,
            coroutines(contenders),
            r.run(contenders),
            {{single, plain, quantity::server_time, 0},
             {single, plain, quantity::client_time, 0},
             {triple, single, quantity::client_time, most_client_time(contenders)},
             {triple, single, quantity::pairs_per_second, 0}});
    }
    out.note("server us: of all servers together; they share the cores of the machine with the client");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("cluster", argc, argv, holdfast::bench::measure);
}
