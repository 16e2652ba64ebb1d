//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/live_hunt.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#include "oracle/child_run.hpp"
#include "oracle/generator.hpp"
#include "oracle/live_program.hpp"
#include "oracle/live_servers.hpp"
#include "oracle/live_world.hpp"
#include "oracle/runner.hpp"

namespace holdfast::test::oracle {
namespace {

// A program that takes longer than this counts as one that never ends.
constexpr unsigned time_limit_seconds = 240;

constexpr unsigned most_lanes = 64;

// The state that all lanes share.
struct shared_state {
    struct lane {
        std::uint64_t seed = 0;  // of the program that runs, or failed
        bool is_broken = false;
        std::array<char, 64> check = {};
        std::array<char, 2'000> text = {};
    };

    std::atomic<std::uint64_t> next_seed = 1;
    std::atomic<std::uint64_t> programs = 0, operations = 0, grants = 0;
    std::atomic<bool> is_over = false;
    std::array<lane, most_lanes> lanes = {};
};

template <std::size_t N>
void copy(std::array<char, N>& to, std::string const& from)
{
    std::strncpy(to.data(), from.c_str(), N - 1);
}

// Returns whether all promises were kept.
bool run_one(program const& p, unsigned threads, live_servers& servers, shared_state& all, shared_state::lane& to)
{
    ::alarm(time_limit_seconds);
    auto const r = run(p, std::make_unique<live_world>(servers, threads), live_options(p));
    ++all.programs;
    all.operations += r.operations;
    all.grants += r.grants;
    if (r.broken) {
        copy(to.check, r.broken->check);
        copy(to.text, r.broken->text);
        to.is_broken = true;
        std::printf("%s: %s\n%s\n%s\n", to.check.data(), to.text.data(), to_text(p).c_str(), r.trace.c_str());
        all.is_over = true;
    }
    servers.clean();
    return !r.broken;
}

void run_lane(live_hunt_options const& o, shared_state& all, shared_state::lane& mine)
{
    live_servers servers;
    while (!all.is_over && all.operations < o.operations) {
        mine.seed = all.next_seed++;
        if (!run_one(for_real_time(generate(mine.seed)), o.threads, servers, all, mine))
            return;
    }
}

hunt_result result_of(shared_state const& all)
{
    return {all.programs, all.operations, all.grants, {}, {}};
}

std::optional<finding> finding_of(shared_state::lane const& l)
{
    if (!l.is_broken)
        return std::nullopt;
    return finding{l.check.data(), l.text.data()};
}

}  // namespace

hunt_result hunt_live(live_hunt_options const& o)
{
    shared_value<shared_state> all;
    all->next_seed = o.first;
    auto const lanes = std::clamp(o.lanes, 1u, most_lanes);
    std::vector<pid_t> children;
    for (unsigned i = 0; i < lanes; ++i)
        children.push_back(run_in_child([&] { run_lane(o, *all, all->lanes[i]); }, standard_error::kept));
    auto result = result_of(*all);
    for (unsigned i = 0; i < lanes; ++i) {
        auto const death = wait_for_child(children[i], time_limit_seconds);
        auto const broken = death ? death : finding_of(all->lanes[i]);
        if (broken && !result.broken) {
            result.broken = broken;
            result.shrunken = for_real_time(generate(all->lanes[i].seed));
        }
        all->is_over = all->is_over || broken;
    }
    auto const end = result_of(*all);
    result.programs = end.programs;
    result.operations = end.operations;
    result.grants = end.grants;
    return result;
}

hunt_result run_live(program const& p, unsigned times, unsigned threads)
{
    shared_value<shared_state> all;
    auto& lane = all->lanes[0];
    auto const child = run_in_child(
        [&] {
            live_servers servers;
            for (unsigned i = 0; i < times && run_one(p, threads, servers, *all, lane); ++i)
                ;
        },
        standard_error::kept);
    auto const death = wait_for_child(child, time_limit_seconds);
    auto result = result_of(*all);
    result.broken = death ? death : finding_of(lane);
    result.shrunken = p;
    return result;
}

}  // namespace holdfast::test::oracle
