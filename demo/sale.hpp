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
    std::optional<std::size_t> killed;   // this process gets SIGKILL inside the lock
    std::optional<std::size_t> stopped;  // this one SIGSTOP, and SIGCONT when others have the lock
};

struct sale_result {
    std::array<int, processes> sold{};
    std::vector<std::chrono::microseconds> waits;  // of all acquires; sorted
    std::chrono::duration<double> took{};
    int stock_left = -1;
    bool is_complete = false;  // no process ended but the one that was killed
    std::uint64_t handed_off = 0;
    std::uint64_t lost = 0;
    bool tokens_differ = true;  // no two sales under one grant

    std::optional<std::chrono::duration<double>> freed_after;    // from SIGKILL to the first other holder
    std::optional<std::chrono::duration<double>> noticed_after;  // from SIGCONT
    int stale_refused = 0;
    int stale_accepted = 0;

    int sold_in_all() const;
};

// Runs a sale in processes of its own. Ends after a minute at the latest.
asio::awaitable<sale_result> hold_sale(sale_options const&, class progress&);

}  // namespace demo

#endif
