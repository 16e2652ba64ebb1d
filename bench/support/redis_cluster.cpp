//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/redis_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t all_slots = 16384;

}  // namespace

redis_cluster::redis_cluster(std::size_t primaries)
{
    for (std::size_t i = 0; i < primaries; ++i)
        nodes_.emplace_back(cluster_node());
    share_slots();
    introduce();
    await_state();
}

void redis_cluster::share_slots()
{
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        auto const first = std::to_string(all_slots * i / nodes_.size());
        auto const last = std::to_string(all_slots * (i + 1) / nodes_.size() - 1);
        nodes_[i].query({"CLUSTER", "ADDSLOTSRANGE", first, last});
    }
}

void redis_cluster::introduce()
{
    auto const& first = nodes_.front();
    auto const port = std::to_string(first.port()), bus = std::to_string(first.bus_port());
    for (auto& other : nodes_)
        if (&other != &first)
            other.query({"CLUSTER", "MEET", "127.0.0.1", port, bus});
}

void redis_cluster::await_state()
{
    auto const limit = std::chrono::steady_clock::now() + 60s;
    while (!is_complete()) {
        if (std::chrono::steady_clock::now() > limit)
            throw std::runtime_error("the cluster was not complete in time");
        std::this_thread::sleep_for(20ms);
    }
}

bool redis_cluster::is_complete()
{
    auto const size = "cluster_size:" + std::to_string(nodes_.size()) + "\r\n";
    return std::ranges::all_of(nodes_, [&](redis_server& each) {
        auto const info = each.query({"CLUSTER", "INFO"});
        return info.find("cluster_state:ok") != info.npos && info.find(size) != info.npos;
    });
}

}  // namespace holdfast::bench
