//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_SHRINK_HPP
#define HOLDFAST_TEST_ORACLE_SHRINK_HPP

#include <functional>

#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// Whether a program still fails in the same way.
using predicate = std::function<bool(program const&)>;

// Returns a program that still fails, but does not fail without any of its steps, or with any of its values omitted or
// reduced. Delta debugging: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
// `attempts` bounds the number of runs.
program shrink(program, predicate const& fails, unsigned attempts = 3'000);

}  // namespace holdfast::test::oracle

#endif
