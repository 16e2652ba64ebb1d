//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock over 3 and 5 servers, with one contender and with 100, each with a lock of its own. Compares Holdfast with
// Redisson.
#include <deque>

#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto ours = "holdfast red_lock";
constexpr char const* theirs[] = {"Redisson RedLock, threads", "Redisson RedLock, asynchronous"};

std::vector<entrant> entrants(std::deque<redis_server> const& others)
{
    std::string more;
    for (auto const& s : others)
        more += "," + s.address();
    auto const over_all = [&](std::string const& name, std::string const& folder, std::string const& mode) {
        return entrant{.name = name, .folder = folder, .mode = mode, .more_servers = more};
    };
    return {
        over_all(ours, "holdfast", "red"),
        over_all(theirs[0], "redisson", "red_threads"),
        over_all(theirs[1], "redisson", "red_async")};
}

// The figures of the server are those of the first server.
void measure(options const& o, redis_server& first, publication& out)
{
    using namespace std::chrono_literals;
    for (std::size_t const nodes : {3u, 5u}) {
        if (o.quick && nodes == 3)
            continue;
        std::deque<redis_server> others;
        while (others.size() + 1 < nodes)
            others.emplace_back(transport::tcp_loopback);
        tournament t(first, entrants(others), 1);
        for (std::size_t const contenders : {1u, 100u}) {
            if (o.quick && contenders == 1)
                continue;
            contest c{.contenders = contenders, .names = contenders, .warm_up = 1s};
            if (o.quick)
                c.turn = 150ms, c.warm_up = 300ms, c.repetitions = 2;
            auto const all = t.hold(c);
            auto const where = std::to_string(contenders) + " at once over " + std::to_string(nodes) + " servers";
            add_pairs(out, where, all);
            for (std::string const other : theirs)
                out.claim(
                    where + ", pairs/s: " + ours + " / " + other,
                    ratio_of_rates(all, ours, other),
                    contenders > 1 && nodes == 5 ? 2 : 0,
                    0);
        }
    }
    out.note("server us, commands and bytes: of the first server");
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario("quorum", argc, argv, holdfast::bench::measure);
}
