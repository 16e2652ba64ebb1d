//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A semaphore that has permits for all contenders. Compares the library with Redisson's scripts on a raw connection,
// and with Redisson.
#include "contestants/holdfast_lock.hpp"
#include "contestants/raw_redisson.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t crowd = 1000;

constexpr auto semaphore_name = "holdfast::semaphore";
constexpr auto fair_name = "holdfast::semaphore, fair";
constexpr auto redisson_name = "raw loop, Redisson's permit scripts";

// A bound of 0 means no target.
std::vector<target> targets(std::size_t contenders)
{
    return {
        {semaphore_name, redisson_name, quantity::pairs_per_second, 0},
        {semaphore_name, redisson_name, quantity::server_time, contenders == crowd ? 0.6 : 0},
        {fair_name, redisson_name, quantity::server_time, 0}};
}

void measure_scripts(options const& o, redis_server& server, publication& out)
{
    race r(server, o.quick ? plan{.turns = 1, .turn = 100ms, .warm_up = 50ms} : plan());
    r.enter(make_semaphore(server, {.name = semaphore_name, .names = 1}, {.permits = crowd}));
    r.enter(make_semaphore(server, {.name = fair_name, .names = 1}, {.permits = crowd, .fair = true}));
    r.enter(make_raw_redisson_permits(server, redisson_name, crowd));
    for (std::size_t const contenders : {std::size_t(1), crowd})
        add_race(out, coroutines(contenders) + " on one semaphore", r.run(contenders), targets(contenders));
}

constexpr auto ours = "holdfast semaphore";
constexpr auto bare = "raw connection, two PINGs";
constexpr char const* theirs[] = {
    "Redisson RPermitExpirableSemaphore, threads", "Redisson RPermitExpirableSemaphore, asynchronous"};

std::vector<entrant> entrants()
{
    return {
        {.name = ours, .folder = "holdfast", .mode = "semaphore_1000"},
        {.name = bare, .folder = "holdfast", .mode = "two_pings"},
        {.name = theirs[0], .folder = "redisson", .mode = "permits_1000_threads"},
        {.name = theirs[1], .folder = "redisson", .mode = "permits_1000_async"}};
}

void measure_peers(options const& o, redis_server& server, publication& out)
{
    tournament t(server, entrants(), 1);
    for (std::size_t const contenders : {std::size_t(1), crowd}) {
        contest c{.contenders = contenders, .names = 1, .warm_up = 1s};
        if (o.quick)
            c.turn = 150ms, c.warm_up = 300ms, c.repetitions = 2;
        auto const all = t.hold(c);
        auto const where = std::to_string(contenders) + " at once on one semaphore";
        add_pairs(out, where, all);
        for (std::string const other : theirs) {
            auto const claim = [&](std::string const& one, double least) {
                auto const what = where + ", pairs/s: " + one + " / " + other;
                out.claim(what, ratio_of_rates(all, one, other), least, 0);
            };
            claim(ours, contenders == crowd ? 5 : 0);
            // One contender waits for two round trips for each pair, with any library: the limit of the ratio.
            if (contenders == 1)
                claim(bare, 0);
        }
    }
}

void measure(options const& o, redis_server& server, publication& out)
{
    measure_scripts(o, server, out);
    measure_peers(o, server, out);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("permits", argc, argv, holdfast::bench::measure);
}
