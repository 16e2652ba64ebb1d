//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes acquire multi_locks over three servers in opposite orders, and some are killed meanwhile: none deadlocks,
// none starves, and no lock has two holders.

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/child.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t processes = 5;
constexpr int tasks = 3;   // of each process
constexpr int meals = 15;  // of each task
constexpr std::size_t forks = 7;
constexpr auto lease_time = 2s;  // the locks of a killed process stay held for this time

class restaurant {
public:
    restaurant()
    {
        for (std::size_t i = 0; i < processes; ++i)
            diners_.push_back(come());
    }

    // Kills these processes in the middle of their meals, and starts another in the place of each.
    void kill(std::initializer_list<std::size_t> victims)
    {
        for (auto const i : victims)
            REQUIRE(wait_until([&] { return !diners_[i]->reported("eating").empty(); }));
        for (auto const i : victims) {
            diners_[i]->signal(SIGKILL);
            diners_[i] = come();
        }
    }

    bool are_fed() const
    {
        return std::ranges::all_of(diners_, [](auto const& d) { return !d->reported("fed").empty(); });
    }

    long count(std::string const& what, std::size_t fork)
    {
        return std::atol(server_of(fork).command({"GET", what + std::to_string(fork)}).text.c_str());
    }

    bool is_free(std::size_t fork)
    {
        return server_of(fork).command({"EXISTS", "fork" + std::to_string(fork)}).integer == 0;
    }

    bool is_quiet()
    {
        return std::ranges::all_of(servers_, [](auto& s) { return s.command({"PUBSUB", "CHANNELS"}).items.empty(); });
    }

private:
    redis_server& server_of(std::size_t fork) { return servers_[fork % servers_.size()]; }

    std::unique_ptr<child> come() const
    {
        std::vector<std::string> words{
            HOLDFAST_LIVE_DINER, std::to_string(lease_time / 1ms), std::to_string(tasks), std::to_string(meals)};
        for (auto const& s : servers_)
            words.push_back(s.socket_path());
        return std::make_unique<child>(std::move(words));
    }

    std::deque<redis_server> servers_ = std::deque<redis_server>(3);
    std::vector<std::unique_ptr<child>> diners_;
};

TEST_CASE(
    "processes with multi_locks in opposite orders all finish, without overlap, when some are killed", "[multi_lock]")
{
    restaurant r;
    auto const start = steady_clock::now();
    r.kill({0, 2});
    r.kill({1, 3});
    REQUIRE(wait_until([&] { return r.are_fed(); }, 4 * time_limit));
    auto const took = steady_clock::now() - start;

    long uses = 0;
    for (std::size_t fork = 0; fork < forks; ++fork) {
        CHECK(r.count("count", fork) == r.count("written", fork));  // else it had two holders
        CHECK(wait_until([&] { return r.is_free(fork); }));
        uses += r.count("written", fork);
    }
    CHECK(uses >= long(processes) * tasks * meals * 2);
    CHECK(wait_until([&] { return r.is_quiet(); }));
    WARN("4 processes killed, forks taken " << uses << " times in " << took / 1ms << " ms");
}

}  // namespace
}  // namespace holdfast::test
