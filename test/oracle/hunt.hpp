//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_HUNT_HPP
#define HOLDFAST_TEST_ORACLE_HUNT_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "oracle/model.hpp"
#include "oracle/program.hpp"

namespace holdfast::test::oracle {

struct hunt_result {
    std::uint64_t programs = 0;
    std::uint64_t operations = 0;
    std::uint64_t grants = 0;
    std::optional<finding> broken = {};
    program shrunken = {};  // when something is broken
};

// Runs a program in a process of its own: a crash is a finding, "does_not_crash", and one that never ends is another.
std::optional<finding> run_in_fork(program const&);

// Runs the programs of the seeds from `first` on, until they made that many operations or one of them fails, which is
// shrunken then. Programs run in a process beside this one.
hunt_result hunt(std::uint64_t first, std::uint64_t operations);

}  // namespace holdfast::test::oracle

#endif
