//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_RED_CONTEST_HPP
#define HOLDFAST_TEST_SIMULATION_RED_CONTEST_HPP

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>

#include "simulation/red_arena.hpp"
#include "support/interval_checker.hpp"

namespace holdfast::test {

struct red_contest_options {
    std::uint64_t seed = 1;
    unsigned servers = 3;
    unsigned contenders = 3;  // each in a process of its own
    unsigned rounds = 1;      // of each contender
    core::duration longest_hold = std::chrono::milliseconds(5);
    core::duration longest_pause{};  // of a contender between two rounds
    double cancel = 0;               // chance that an acquire is cancelled, at a random moment
    bool fencing = false;
    unsigned restarts = 0;  // of one server at a time, without its data
    core::duration skew{};  // of the servers' wall clocks, at most
    fault_plan faults = {};
    std::chrono::milliseconds lease{60'000};
};

// Contenders of several processes acquire one red_lock while the servers have the given faults. Then the faults end:
// every contender must complete, no two holds overlap, fencing tokens grow from hold to hold, and nothing is left.
class red_contest {
public:
    explicit red_contest(red_contest_options const&);

    void run();

    unsigned grants() const { return static_cast<unsigned>(holds_.size()); }
    unsigned cancelled() const { return cancelled_; }
    // Leases that were lost before their holder released them.
    unsigned lost() const { return lost_; }
    core::duration longest_wait() const { return longest_wait_; }
    // The number of rounds for each grant: attempts on a server, divided by the grants.
    double rounds_of_a_grant() const { return double(attempts_) / arena_.count / std::max(1u, grants()); }

private:
    asio::awaitable<void> contend(unsigned n);
    asio::awaitable<void> once(unsigned n);
    void cancel_some_time(asio::cancellation_signal& signal, std::string const& where);
    void restart_minority();
    red_options options() const;

    red_contest_options const o_;
    nodes arena_;
    std::vector<std::string> processes_;
    std::vector<std::vector<client const*>> clients_;
    std::vector<held_interval> holds_;
    unsigned under_way_ = 0;
    unsigned cancelled_ = 0;
    unsigned lost_ = 0;
    std::uint64_t attempts_ = 0;
    core::duration longest_wait_{};
};

}  // namespace holdfast::test

#endif
