//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LIVE_HUNT_HPP
#define HOLDFAST_TEST_ORACLE_LIVE_HUNT_HPP

#include <cstdint>

#include "oracle/hunt.hpp"

namespace holdfast::test::oracle {

struct live_hunt_options {
    std::uint64_t first = 1;  // seed
    std::uint64_t operations = 2'000;
    unsigned threads = 1;  // of each program
    unsigned lanes = 12;   // programs at a time, each in a process and on servers of its own
};

// Runs the programs of the seeds from the first on, until they made that many operations or one of them fails. The one
// that fails is not shrunk, because it may not fail again: it is printed with its trace.
hunt_result hunt_live(live_hunt_options const&);

// Runs one program that many times, or until it fails.
hunt_result run_live(program const&, unsigned times, unsigned threads);

}  // namespace holdfast::test::oracle

#endif
