//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Acquire and release without contention: 1 to 1,000 contenders of one process, each with a lock of its own. Compares
// Holdfast with the libraries of bench/peers.
#include <algorithm>

#include "support/pipeline.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto ours = "holdfast mutex";
constexpr auto ping = "one PING, for comparison";

void claim(publication& out, std::vector<standing> const& all)
{
    auto const& limit = all.back().entry.name;
    out.claim(std::string(ours) + " / " + limit, ratio_of_rates(all, ours, limit), 0.9, 0);
    for (auto const& other : all_entrants())
        if (other.folder != "holdfast")
            out.claim(
                std::string(ours) + " / " + other.name,
                ratio_of_rates(all, ours, other.name),
                other.folder == "redisson" ? 3 : 1.8,
                0);
}

// Compares the median wait for a lock with the round trip of a PING.
void claim_latency(publication& out, std::vector<standing> const& all)
{
    auto const medians = [&](std::string const& name) {
        std::vector<double> each;
        for (auto s : std::ranges::find(all, name, [](standing const& s) { return s.entry.name; })->scores)
            each.push_back(quantile(s.waits, 0.5));
        return each;
    };
    out.claim(
        std::string("acquire p50, 1 at once: ") + ours + " / " + ping, ratio(medians(ours), medians(ping)), 0, 1.1);
}

void measure(options const& o, redis_server& server, publication& out)
{
    using namespace std::chrono_literals;
    auto entrants = all_entrants();
    entrants.push_back({ping, "holdfast", "ping", false, false});
    tournament all(server, entrants, 1);
    for (std::size_t const contenders : {1u, 10u, 100u, 1000u}) {
        contest c{.contenders = contenders, .names = contenders, .turn = 400ms, .warm_up = contenders == 1 ? 2s : 1s};
        if (o.quick && (contenders == 10 || contenders == 100))
            continue;
        if (o.quick)
            c.turn = 150ms, c.warm_up = 300ms, c.repetitions = 2;
        auto results = all.hold(c);
        if (contenders == 1000)
            results.push_back(pipeline(server, contenders).measure(c));
        add_pairs(out, std::to_string(contenders) + " at once", results);
        if (contenders == 1)
            claim_latency(out, results);
        if (contenders == 1000)
            claim(out, results);
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("peers", argc, argv, holdfast::bench::measure);
}
