//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/scenario.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace holdfast::bench {
namespace {

template <class Quantity>
auto per_pair(Quantity quantity)
{
    return [quantity](score const& s) { return s.pairs > 0 ? quantity(s) / s.pairs : 0; };
}

table::row row_of(standing const& s)
{
    if (!s.not_run.empty())
        return {s.entry.name, {}, "not run: " + s.not_run};
    return {
        s.entry.name,
        {s.over([](score const& one) { return one.rate(); }),
         s.over(per_pair([](score const& one) { return one.client_cpu * 1e6; })),
         s.over(per_pair([](score const& one) { return one.server_cpu * 1e6; })),
         s.over(per_pair([](score const& one) { return one.commands; })),
         s.over(per_pair([](score const& one) { return one.bytes; })),
         {s.wait(0.5)},
         {s.wait(0.99)}},
        {},
        s.entry.takes_locks};
}

// Empty if the entrant was not run.
std::vector<double> rates(std::vector<standing> const& all, std::string const& name)
{
    std::vector<double> each;
    auto const at = std::ranges::find_if(all, [&](standing const& s) { return s.entry.name == name; });
    if (at != all.end())
        for (auto const& one : at->scores)
            each.push_back(one.rate());
    return each;
}

}  // namespace

int run_scenario(std::string_view name, int argc, char const* const* argv, scenario const& measure, transport how)
try {
    auto const o = parse_options(argc, argv);
    redis_server server(how);
    publication out(name, server);
    measure(o, server, out);
    if (o.quick)
        out.note("a quick run: fewer and shorter turns");
    out.write(o.json);
    return EXIT_SUCCESS;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return EXIT_FAILURE;
}

void add_pairs(publication& out, std::string const& title, std::vector<standing> const& all)
{
    table t{
        title,
        {{"pairs/s", 0},
         {"client us", 1},
         {"server us", 1},
         {"commands", 1},
         {"bytes", 0},
         {"p50 us", 0},
         {"p99 us", 0}},
        {}};
    for (auto const& s : all) {
        t.rows.push_back(row_of(s));
        if (!s.version.empty())
            out.note(s.entry.name + " " + s.version + (s.lacks.empty() ? "" : ": " + s.lacks));
    }
    out.add(std::move(t));
}

std::optional<spread> ratio_of_rates(std::vector<standing> const& all, std::string const& of, std::string const& to)
{
    auto const ours = rates(all, of);
    auto const theirs = rates(all, to);
    return ours.empty() || theirs.empty() ? std::nullopt : std::optional(ratio(ours, theirs));
}

std::vector<entrant> all_entrants()
{
    return {
        {"holdfast mutex", "holdfast", "mutex"},
        {"holdfast reentrant_lock", "holdfast", "reentrant"},
        {"Redisson RLock, threads", "redisson", "threads"},
        {"Redisson RLock, asynchronous", "redisson", "async"},
        {"redsync", "go", "redsync", true},
        {"bsm/redislock", "go", "redislock", true},
        {"rueidislock", "rueidislock", "mutex"},
        {"redis-py Lock, asyncio", "redis_py", "mutex", true},
        {"node-redlock", "node_redlock", "mutex", true},
        {"rslock", "rslock", "mutex", true},
        {"redis-plus-plus RedMutex", "redis_plus_plus", "mutex", true}};
}

}  // namespace holdfast::bench
