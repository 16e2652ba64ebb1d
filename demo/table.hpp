//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_TABLE_HPP
#define HOLDFAST_DEMO_TABLE_HPP

#include <chrono>

#include "sale.hpp"

namespace demo {

struct results {
    sale_result unguarded;
    sale_result locked;
    sale_result hurt;
    std::chrono::milliseconds lease_when_hurt;
};

void print_table(results const&);

// Prints each check with its result. Returns whether all of them succeeded.
bool check(results const&);

// Prints the conclusion.
void print_end(bool good);

}  // namespace demo

#endif
