//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_SALE_HPP
#define HOLDFAST_DEMO_SALE_HPP

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "seller.hpp"

namespace demo {

namespace asio = boost::asio;

constexpr int goods = 100;
constexpr int processes = 4;
constexpr int buyers_per_process = 250;

struct sale_options {
    std::string title;
    std::string socket;
    std::string name;  // of the keys
    demo::guard guard;
    std::chrono::milliseconds lease{30'000};
    std::optional<std::size_t> killed;   // this process gets SIGKILL while it holds the lock
    std::optional<std::size_t> stopped;  // this one gets SIGSTOP, and SIGCONT after others acquired it
};

struct sale_result {
    std::array<int, processes> sold{};
    std::vector<std::chrono::microseconds> waits;  // of all acquires; sorted
    std::chrono::duration<double> took{};
    int stock_left = -1;
    bool is_complete = false;  // only the process that was killed ended early
    std::uint64_t handed_off = 0;
    std::uint64_t lost = 0;
    bool tokens_differ = true;  // each item was sold under a grant of its own

    std::optional<std::chrono::duration<double>> freed_after;    // from SIGKILL to the first other holder
    std::optional<std::chrono::duration<double>> noticed_after;  // from SIGCONT
    int stale_refused = 0;
    int stale_accepted = 0;

    int sold_in_all() const;
};

// Runs a sale in child processes. Ends after a minute at the latest.
asio::awaitable<sale_result> hold_sale(sale_options const&, class progress&);

}  // namespace demo

#endif
