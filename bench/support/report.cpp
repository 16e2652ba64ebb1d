//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/report.hpp"

#include <algorithm>
#include <stdexcept>

namespace holdfast::bench {
namespace {

double to_us(std::chrono::duration<double> d)
{
    return d.count() * 1e6;
}

double rate(repetition const& r)
{
    return r.rate();
}

double client_us(repetition const& r)
{
    return to_us(r.client_cpu) / r.pairs();
}

double server_us(repetition const& r)
{
    return to_us(r.server_cpu) / r.pairs();
}

double measure(quantity what, repetition const& r)
{
    if (what == quantity::pairs_per_second)
        return r.rate();
    if (what == quantity::server_time)
        return server_us(r);
    if (what == quantity::client_time)
        return client_us(r);
    auto waits = r.waits;
    return to_us(quantile(waits, what == quantity::median_wait ? 0.5 : 0.99));
}

std::string name_of(quantity what)
{
    switch (what) {
        case quantity::pairs_per_second: return "pairs/s";
        case quantity::median_wait: return "acquire p50";
        case quantity::client_time: return "client CPU";
        case quantity::server_time: return "server CPU";
        default: return "acquire p99";
    }
}

std::vector<double> each(std::vector<result> const& all, std::string const& name, quantity what)
{
    auto const at = std::ranges::find(all, name, &result::contestant);
    if (at == all.end())
        throw std::logic_error("no contestant: " + name);
    std::vector<double> values;
    for (auto const& r : at->repetitions)
        values.push_back(measure(what, r));
    return values;
}

table::row row_of(result const& r)
{
    return {
        r.contestant,
        {r.over(rate),
         r.over(client_us),
         r.over(server_us),
         {to_us(r.wait(0.5))},
         {to_us(r.wait(0.9))},
         {to_us(r.wait(0.99))},
         {to_us(r.wait(0.999))}}};
}

}  // namespace

void add_race(
    publication& out, std::string const& title, std::vector<result> const& results, std::vector<target> const& targets)
{
    table t{
        title,
        {{"pairs/s", 0},
         {"client us", 2},
         {"server us", 2},
         {"p50 us", 0},
         {"p90 us", 0},
         {"p99 us", 0},
         {"p99.9 us", 0}},
        {}};
    for (auto const& r : results)
        t.rows.push_back(row_of(r));
    out.add(std::move(t));
    for (auto const& [contestant, baseline, what, bound] : targets) {
        bool const at_least = what == quantity::pairs_per_second;
        out.claim(
            title + ", " + name_of(what) + ": " + contestant + " / " + baseline,
            ratio(each(results, contestant, what), each(results, baseline, what)),
            at_least ? bound : 0,
            at_least ? 0 : bound);
    }
}

std::string coroutines(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " coroutine" : " coroutines");
}

}  // namespace holdfast::bench
