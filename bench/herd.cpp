//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Measures the cost of a release for the server when many processes wait for one lock, and when each of them has many
// waiters.
#include <algorithm>

#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

struct crowd {
    std::size_t processes, contenders;  // contenders in each
};

constexpr crowd crowds[] = {{1, 1}, {1, 20}, {2, 1}, {4, 1}, {4, 20}, {16, 1}, {64, 1}};

std::string name_of(crowd const& c)
{
    return "holdfast " + std::to_string(c.processes) + " x " + std::to_string(c.contenders);
}

// The commands and bytes are those of the server for one grant and one release together.
table::row measure_one(options const& o, redis_server& server, char const* mode, crowd const& c)
{
    contest how{.contenders = c.contenders, .names = 1, .hold = 5ms, .turn = 600ms};
    if (o.quick)
        how.turn = 200ms, how.warm_up = 100ms, how.repetitions = 2;
    auto const s = tournament(server, {{mode, "holdfast", mode}}, c.processes).hold(how).front();
    auto const name = name_of(c);
    if (!s.not_run.empty())
        return {name, {}, "not run: " + s.not_run};
    auto const per_pair = [&](auto quantity) {
        return s.over([=](score const& one) { return quantity(one) / one.pairs; });
    };
    return {
        name,
        {per_pair([](score const& one) { return one.commands; }),
         per_pair([](score const& one) { return one.bytes; }),
         per_pair([](score const& one) { return one.server_cpu * 1e6; }),
         s.over([](score const& one) { return one.rate(); })}};
}

double commands(table const& t, crowd const& c)
{
    auto const at = std::ranges::find(t.rows, name_of(c), &table::row::name);
    return at == t.rows.end() || at->cells.empty() ? 0 : at->cells.front().median;
}

void claim(publication& out, std::string const& mode, table const& t)
{
    auto const local = commands(t, {4, 20}) / commands(t, {4, 1});
    out.claim(mode + ", commands: 20 local waiters / 1, in each of 4 processes", local, 0, 1.1);
    if (mode == "semaphore_1")
        return;  // each of its attempts is a script, which calls several commands
    if (mode.ends_with("fair"))
        out.claim(mode + ", commands: 64 processes / 2", commands(t, {64, 1}) / commands(t, {2, 1}), 0, 1.1);
    else
        out.claim(
            mode + ": commands for each of 64 processes, of which a re-check takes 1",
            (commands(t, {64, 1}) - commands(t, {1, 1})) / 63,
            0,
            1.1);
}

void measure(options const& o, redis_server& server, publication& out)
{
    for (auto const* mode : {"mutex", "fair", "semaphore_1", "semaphore_1_fair"}) {
        table t{
            std::string(mode) + ": processes x waiters of each",
            {{"commands", 1}, {"bytes", 0}, {"server us", 1}, {"pairs/s", 0}},
            {}};
        for (auto const& c : crowds)
            if (!o.quick || c.processes != 16)
                t.rows.push_back(measure_one(o, server, mode, c));
        out.add(t);
        claim(out, mode, t);
    }
    out.note("per grant and release, held for 5 ms; the commands that scripts call are counted, too");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("herd", argc, argv, holdfast::bench::measure);
}
