//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_SELLER_HPP
#define HOLDFAST_DEMO_SELLER_HPP

#include <chrono>
#include <string>

namespace demo {

enum class guard { none, lock, lock_and_token };

struct seller_options {
    std::string socket;
    std::string sale;
    demo::guard guard = guard::none;
    std::chrono::milliseconds lease{30'000};
    int buyers = 250;
    bool is_victim = false;  // one of its buyers keeps the lock, until the parent kills or stops this process
};

// One process of the sale, with a coroutine for each buyer. It writes a line for each event to standard output:
//     ready             connected; waits for a line on standard input
//     sold TOKEN US     a buyer bought an item, after it had waited for US microseconds
//     late TOKEN US     a buyer found no item left
//     inside TOKEN      the victim holds the lock, and keeps it
//     noticed           the victim detected the loss of its lease before its next step
//     refused|accepted  the result of the write that the victim made nevertheless
//     done HANDOFFS LOST
int run_seller(seller_options const&);

}  // namespace demo

#endif
