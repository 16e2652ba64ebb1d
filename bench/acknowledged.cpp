//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures what an acknowledgement by a replica costs. All contestants use one server that has a replica, so that the
// server's work for the replica is the same.
#include "contestants/holdfast_lock.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto without = "holdfast mutex";
constexpr auto with_one = "holdfast mutex, acknowledged_by = 1";

plan make_plan(bool quick)
{
    using namespace std::chrono_literals;
    return quick ? plan{.repetitions = 3, .turns = 1, .turn = 100ms, .warm_up = 50ms} : plan{};
}

void measure(options const& o, redis_server& server, publication& out)
{
    redis_server const replica(replica_of{server.port()});
    race r(server, make_plan(o.quick));
    r.enter(make_mutex(server, {.name = without}));
    r.enter(make_mutex(server, {.name = with_one, .acknowledged_by = 1}));
    for (std::size_t const contenders : {1u, 100u, 1000u}) {
        if (o.quick && contenders == 100)
            continue;
        auto const what = contenders == 1 ? quantity::median_wait : quantity::pairs_per_second;
        add_race(
            out,
            coroutines(contenders),
            r.run(contenders),
            {{with_one, without, what, 0}, {with_one, without, quantity::server_time, 0}});
    }
    out.note("server us: of the primary");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("acknowledged", argc, argv, holdfast::bench::measure);
}
