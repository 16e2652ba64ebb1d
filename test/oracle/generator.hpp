//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_GENERATOR_HPP
#define HOLDFAST_TEST_ORACLE_GENERATOR_HPP

#include <cstdint>

#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// The same seed gives the same program on every platform.
program generate(std::uint64_t seed);

}  // namespace holdfast::test::oracle

#endif
