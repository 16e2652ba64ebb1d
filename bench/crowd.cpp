//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// 1,500 contenders, in one process or in four, acquire 15 locks and hold them for no time or for 50 ms. Compares
// Holdfast with the libraries of bench/peers.
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t names = 15;
constexpr std::size_t contenders = 1500;
constexpr auto ours = "holdfast mutex";

contest make_contest(bool quick, std::size_t processes, std::chrono::milliseconds hold)
{
    contest c{.contenders = contenders / processes, .names = names, .hold = hold};
    c.turn = hold > 0ms ? 1500ms : 600ms;
    if (quick)
        c.turn = c.turn / 4, c.warm_up = 300ms, c.repetitions = 2;
    return c;
}

std::string title(std::size_t processes, std::chrono::milliseconds hold)
{
    return std::to_string(processes) + (processes == 1 ? " process, " : " processes, ") + std::to_string(hold.count())
           + " ms";
}

void claim(publication& out, std::string const& where, std::vector<standing> const& all, std::size_t processes)
{
    for (std::string const other : {"Redisson RLock, threads", "Redisson RLock, asynchronous"})
        out.claim(where + ": " + ours + " / " + other, ratio_of_rates(all, ours, other), processes == 1 ? 10 : 2, 0);
}

void claim_ideal(publication& out, std::string const& where, std::vector<standing> const& all)
{
    auto const share = all.front().over([](score const& s) { return s.rate() / 300; });
    out.claim(where + ": " + ours + " / 300 pairs/s, the ideal", share, 0.98, 0);
}

void measure(options const& o, redis_server& server, publication& out)
{
    for (std::size_t const processes : {1u, 4u}) {
        if (o.quick && processes > 1)
            continue;
        auto entrants = all_entrants();
        if (processes == 1)
            entrants.push_back({"a channel, no Redis", "holdfast", "channel", false, false});
        tournament t(server, entrants, processes);
        for (auto const hold : {0ms, 50ms}) {
            if (o.quick && hold > 0ms)
                continue;
            auto const all = t.hold(make_contest(o.quick, processes, hold));
            auto const where = title(processes, hold);
            add_pairs(out, where, all);
            hold == 0ms ? claim(out, where, all, processes) : claim_ideal(out, where, all);
        }
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("crowd", argc, argv, holdfast::bench::measure);
}
