//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/cluster_node.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace holdfast::test {
namespace {

std::vector<std::string> with_cluster_mode(std::vector<std::string> const& lines)
{
    std::vector<std::string> all{"cluster-enabled yes"};
    all.insert(all.end(), lines.begin(), lines.end());
    return all;
}

}  // namespace

cluster_node::cluster_node(std::vector<std::string> const& lines) : redis_server(with_cluster_mode(lines)) {}

// ADDSLOTSRANGE is of Redis 7.0.
bool cluster_node::add_slots(int last, std::string const& state)
{
    std::vector<std::string> add{"CLUSTER", "ADDSLOTS"};
    for (int slot = 0; slot <= last; ++slot)
        add.push_back(std::to_string(slot));
    command(add);
    auto const is_in_state = [&] {
        return command({"CLUSTER", "INFO"}).text.find("cluster_state:" + state) != std::string::npos;
    };
    for (int i = 0; i < 6'000 && !is_in_state(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    bool const is = is_in_state();
    own_calls_ = cluster_calls();
    return is;
}

std::int64_t cluster_node::slots_requests()
{
    return cluster_calls() - own_calls_;
}

}  // namespace holdfast::test
