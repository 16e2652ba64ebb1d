//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEROP_FIGURES_HPP
#define HOLDFAST_TEST_INTEROP_FIGURES_HPP

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

// Collects measured times, which are printed as a table after all tests.
void note_figures(std::string const& what, std::string const& direction, std::vector<std::chrono::nanoseconds>);

}  // namespace holdfast::test

#endif
