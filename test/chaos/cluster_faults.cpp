//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "chaos/cluster_faults.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int fault_kinds = 4;
constexpr std::size_t slots_in_a_reshard = 400;

}  // namespace

void cluster_faults::rage(
    std::chrono::seconds time, std::chrono::milliseconds least_pause, std::chrono::milliseconds most_pause)
{
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end || done_.total() < fault_kinds) {
        std::this_thread::sleep_for(chance_.between(least_pause, most_pause));
        cluster_.await_health();
        strike();
    }
    cluster_.await_health();
}

void cluster_faults::strike()
{
    auto const number = static_cast<std::size_t>(done_.total());
    auto const primary = number % cluster_.size();
    switch (number % fault_kinds) {
        case 0: return reshard(primary);
        case 1: ++done_.failovers; return cluster_.fail_over(primary);
        case 2: return kill(primary);
        default: return freeze(primary);
    }
}

void cluster_faults::reshard(std::size_t from)
{
    ++done_.reshards;
    done_.moved_slots += cluster_.move_slots(from, (from + 1) % cluster_.size(), slots_in_a_reshard, keys_);
}

// It is started anew when its replica has been promoted: without persistence it would return without its keys.
void cluster_faults::kill(std::size_t primary)
{
    ++done_.kills;
    cluster_.kill(cluster_[primary]);
    cluster_.await_promotion(primary);
    cluster_.replica_of(primary).restart();
}

void cluster_faults::freeze(std::size_t primary)
{
    ++done_.freezes;
    cluster_[primary].freeze();
    cluster_.await_promotion(primary);
    std::this_thread::sleep_for(chance_.between(0ms, 1s));
    cluster_.replica_of(primary).thaw();
}

std::string to_string(cluster_faults::damage const& d)
{
    return std::to_string(d.reshards) + " reshards of " + std::to_string(d.moved_slots) + " slots, "
           + std::to_string(d.failovers) + " manual failovers, " + std::to_string(d.kills) + " kills, "
           + std::to_string(d.freezes) + " freezes";
}

}  // namespace holdfast::test
