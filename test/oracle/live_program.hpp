//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LIVE_PROGRAM_HPP
#define HOLDFAST_TEST_ORACLE_LIVE_PROGRAM_HPP

#include "oracle/program.hpp"
#include "oracle/runner.hpp"

namespace holdfast::test::oracle {

// The program with shorter times, so that it takes a fraction of a second, and without the faults that only the simulator
// knows.
program for_real_time(program);

// How such a program is run.
run_options live_options(program const&);

}  // namespace holdfast::test::oracle

#endif
