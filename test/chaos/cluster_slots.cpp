//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Hash slots that move under two hundred waiters and the leases for which they wait: all 16,384 of them, if
// HOLDFAST_CHAOS_SECONDS is at least 60, else some hundred of each primary.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/live_thread.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

constexpr std::size_t waiters = 200;

// Holds all locks with one client and waits for them with another one, until it is told to release.
class crowd {
public:
    explicit crowd(std::string url) : url_(std::move(url)) {}

    awaitable<void> operator()(live& l)
    {
        auto options = live::quick(url_);
        options.poll_interval = 300s;  // only a message or the move of its slot makes a waiter look again
        auto& holds = l.client(options);
        auto& waits = l.client(options);
        std::vector<lease> held;
        for (auto const& n : names()) {
            auto one = co_await mutex(holds, n).acquire();
            held.push_back(std::move(one));
            l.spawn([this, lock = mutex(waits, n)]() -> awaitable<void> {
                auto const mine = co_await lock.acquire();
                last_grant_ = clock::now();
                ++granted;
            });
        }
        while (!is_told_to_release)
            co_await sleep_for(20ms);
        granted_before = granted;
        auto const begin = clock::now();
        for (auto& h : held)
            co_await h.release();
        co_await comes_true([&] { return granted == waiters; }, 60s);
        wake_ups = std::chrono::duration_cast<std::chrono::milliseconds>(last_grant_ - begin);
        lost = holds.stats().lost;
        connections = holds.stats().connections + waits.stats().connections;
    }

    static std::vector<std::string> names()
    {
        std::vector<std::string> all;
        for (std::size_t i = 0; i != waiters; ++i)
            all.push_back("lock-" + std::to_string(i));
        return all;
    }

    std::atomic<bool> is_told_to_release = false;
    std::size_t granted = 0, granted_before = 0;
    std::uint64_t lost = 0, connections = 0;
    std::chrono::milliseconds wake_ups{};

private:
    std::string const url_;
    clock::time_point last_grant_;
};

TEST_CASE("every waiter is woken after all hash slots have moved under two hundred of them", "[chaos][cluster][slots]")
{
    server_cluster cluster;
    crowd all(cluster.url());
    std::size_t moved = 0;
    auto const begin = clock::now();
    {
        live_thread const run([&](live& l) { return all(l); }, 1200s);
        std::this_thread::sleep_for(2s);
        try {
            // Each primary gives away what it had at the beginning: its part comes to the next one's end.
            auto const count = chaos_time() >= 60s ? std::size_t{16384} / 3 : std::size_t{300};
            for (std::size_t i = 0; i != cluster.size(); ++i)
                moved += cluster.move_slots(i, (i + 1) % cluster.size(), count, crowd::names());
        } catch (std::exception const& e) {
            FAIL_CHECK(e.what());
        }
        all.is_told_to_release = true;
    }
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begin).count();
    std::cout << "cluster slots: " << moved << " moved in " << seconds << " s under " << waiters
              << " waiters, of which " << all.granted << " were granted within " << all.wake_ups.count() << " ms; "
              << all.lost << " leases lost, " << all.connections << " connections, MOVED " << cluster.errors("MOVED")
              << ", CLUSTER SLOTS " << cluster.slots_requests() << std::endl;
    CHECK(moved >= 900);
    CHECK(all.granted_before == 0);
    CHECK(all.granted == waiters);
    CHECK(all.lost == 0);
    CHECK(all.connections <= 2 * (1 + cluster.size()));
    CHECK(all.wake_ups < 30s);
    CHECK(cluster.slots_requests() < 40 + 4 * 10 * seconds);
}

}  // namespace
}  // namespace holdfast::test
