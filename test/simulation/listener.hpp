//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_LISTENER_HPP
#define HOLDFAST_TEST_SIMULATION_LISTENER_HPP

#include <string>
#include <vector>

#include "sim/redis_model.hpp"
#include "sim/value.hpp"

namespace holdfast::test {

// A connection to the server model: records what it receives without having asked.
struct listener final : simulated::peer {
    void on_push(simulated::value const& v) override { received.push_back(to_string(v)); }
    void on_kill() override { received.emplace_back("killed"); }
    std::vector<std::string> received;
};

}  // namespace holdfast::test

#endif
