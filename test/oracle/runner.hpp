//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_RUNNER_HPP
#define HOLDFAST_TEST_ORACLE_RUNNER_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "oracle/model.hpp"
#include "oracle/program.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

struct run_result {
    std::optional<finding> broken = {};
    std::uint64_t operations = 0;  // calls of the API
    std::uint64_t grants = 0;
    std::string trace = {};
};

struct run_options {
    client_settings clients = {};
    bool connects_first = false;  // the clients connect before the first step
    bool is_disturbed = false;    // by faults, from the first step on
};

// Executes a program in that world, against the library as it ships, and checks what is observed against the model.
run_result run(program const&, std::unique_ptr<world>, run_options const&);

// ... in the simulator.
run_result run(program const&, bool with_trace = false);

}  // namespace holdfast::test::oracle

#endif
