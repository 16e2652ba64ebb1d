//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LIVE_PROGRAM_HPP
#define HOLDFAST_TEST_ORACLE_LIVE_PROGRAM_HPP

#include "oracle/program.hpp"
#include "oracle/runner.hpp"

namespace holdfast::test::oracle {

// Returns the program with shorter times, so that it takes a fraction of a second, and without faults that only the
// simulator has.
program for_real_time(program);

// Returns the options with which such a program is run.
run_options live_options(program const&);

}  // namespace holdfast::test::oracle

#endif
