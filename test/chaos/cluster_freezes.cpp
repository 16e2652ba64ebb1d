//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Locks that are held for a moment, by two clients, while a primary freezes, its replica is promoted, and the former
// primary wakes with commands in its socket. HOLDFAST_CHAOS_SECONDS is the least time with faults.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "chaos/cluster_faults.hpp"
#include "support/interval_checker.hpp"
#include "support/live_thread.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

constexpr int mutex_count = 60;
constexpr int freezes = 10;

class hasty_client {
public:
    hasty_client(std::string name, std::string url, std::chrono::milliseconds command_timeout)
        : name_(std::move(name)), url_(std::move(url)), command_timeout_(command_timeout)
    {}

    awaitable<void> operator()(live& l)
    {
        auto options = live::quick(url_);
        options.command_timeout = command_timeout_;
        options.poll_interval = 100ms;
        auto& c = l.client(options);
        for (int i = 0; i != mutex_count; ++i)
            l.spawn([this, &c, i] { return work(mutex(c, "lock " + std::to_string(i)), i); });
        while (!enough)
            co_await sleep_for(50ms);
        co_await comes_true([&] { return running_ == 0; });
    }

    std::atomic<bool> enough = false;
    std::vector<held_interval> holds;
    std::size_t failures = 0;

private:
    awaitable<void> work(mutex lock, int number)
    {
        ++running_;
        while (!enough) {
            error_code ec;
            auto held = co_await lock.try_acquire({.wait = 1s}, redirect(ec));
            auto const from = clock::now();
            failures += ec && ec != errc::busy;
            if (held.empty())
                continue;
            co_await sleep_for(std::chrono::milliseconds(5 + number % 10));
            auto const to = std::min(held.valid_until(), clock::now());
            holds.push_back({std::to_string(number), name_, nanoseconds(from), nanoseconds(to)});
            co_await held.release(redirect(ec));
        }
        --running_;
    }

    std::string const name_;
    std::string const url_;
    std::chrono::milliseconds const command_timeout_;
    int running_ = 0;
};

TEST_CASE("short holds of two clients do not overlap when frozen primaries wake", "[chaos][cluster][freezes]")
{
    auto const limit = chaos_time() + 600s;
    server_cluster cluster(3, server_cluster::replicas::one_each);
    hasty_client first("first", cluster.url(), 400ms);
    hasty_client second("second", cluster.url(), 3s);
    cluster_faults faults(cluster, {}, chaos_seed());
    {
        live_thread const a([&](live& l) { return first(l); }, limit);
        live_thread const b([&](live& l) { return second(l); }, limit);
        auto const end = clock::now() + chaos_time();
        try {
            for (int i = 0; i < freezes || clock::now() < end; ++i) {
                std::this_thread::sleep_for(500ms);
                cluster.await_health();
                faults.freeze(static_cast<std::size_t>(i) % cluster.size());
            }
        } catch (std::exception const& e) {
            FAIL_CHECK(e.what());
        }
        first.enough = second.enough = true;
    }
    auto all = first.holds;
    std::ranges::copy(second.holds, std::back_inserter(all));
    auto const violation = find_violation(all);
    std::cout << "cluster freezes: " << mutex_count << " locks, " << first.holds.size() << " and "
              << second.holds.size() << " holds, " << first.failures << " and " << second.failures
              << " acquires without a reply, " << faults.done().freezes
              << " freezes; violations: " << violation.value_or("none") << std::endl;
    CHECK(first.holds.size() > 100);
    CHECK(second.holds.size() > 100);
    CHECK(violation.value_or("none") == "none");
}

}  // namespace
}  // namespace holdfast::test
