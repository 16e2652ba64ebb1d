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
    bool is_victim = false;  // one of its buyers stays inside the lock: the parent wants to do something to it
};

// One process of the sale: all of its buyers, each a coroutine. It reports on standard output, a line per event:
//     ready             connected; waits for a line on standard input
//     sold TOKEN US     a buyer got one, after waiting for so many microseconds
//     late TOKEN US     a buyer found nothing left
//     inside TOKEN      the victim is inside the lock, and stays there
//     noticed           its lease was lost, and it noticed before it did anything else
//     refused|accepted  what became of the write that it tried all the same
//     done HANDOFFS LOST
int run_seller(seller_options const&);

}  // namespace demo

#endif
