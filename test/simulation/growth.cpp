//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The work of a client for each contender or member does not grow with the number of them.

#include "support/growth.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
namespace scripts = engine::scripts;

// Far from linear, far from quadratic.
constexpr double most_growth = 64;

TEST_CASE("a multi_lock of thousands of members is made in linear time", "[multi_lock][bounds]")
{
    arena a;
    auto& c = a.client();
    auto const make = [&](std::size_t n) {
        std::vector<any_lock> members;
        for (std::size_t i = 0; i < n; ++i)
            members.emplace_back(mutex(c, "m" + std::to_string(i)));
        auto const start = processor_time();
        multi_lock const all(members);
        return processor_time() - start;
    };
    CHECK(growth("members of a multi_lock", 500, most_growth, make) < most_growth);
}

// All readers join in one turn, while a writer of another client holds the lock; then they read, and leave.
std::chrono::nanoseconds read_together(std::size_t readers)
{
    arena a;
    auto& c = a.client("A", {.lease = 30s});
    auto& other = a.client("B", {.lease = 30s});
    std::chrono::nanoseconds spent{};
    a.run([&]() -> awaitable<void> {
        auto const lock = read_write_lock(c, "rw").read();
        auto write = co_await read_write_lock(other, "rw").write().acquire();
        std::size_t left = readers;
        auto const start = processor_time();
        for (std::size_t i = 0; i < readers; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto read = co_await lock.acquire();
                co_await a.sleep(1ms);
                co_await read.release();
                --left;
            });
        co_await a.sleep(10ms);
        CHECK(left == readers);
        co_await write.release();
        while (left > 0)
            co_await a.sleep(1s);
        spent = processor_time() - start;
    });
    return spent;
}

TEST_CASE("thousands of readers that wait together cost each no more than a few do", "[read_write_lock][bounds]")
{
    CHECK(growth("readers of one read_write_lock", 500, most_growth, read_together) < most_growth);
}

TEST_CASE("a client refreshes at most 500 waiters of a fair lock with one script", "[fair_lock][bounds]")
{
    constexpr std::size_t crowd = 1'200;
    std::size_t largest = 0, left = crowd;
    std::set<std::string> refreshed;
    arena a;
    auto& c = a.client("A", {.lease = 30s, .command_timeout = 500ms});
    auto& other = a.client("B", {.lease = 30s, .command_timeout = 500ms});
    a.server().check([&](executed const& e) {
        auto const words = e.what.args;
        if (words.size() < 2 || (words[1] != scripts::fair_refresh.sha1 && words[1] != scripts::fair_refresh.text))
            return;
        auto const waiters = words.subspan(10);  // behind the call, five keys and two arguments
        largest = std::max(largest, waiters.size());
        refreshed.insert(waiters.begin(), waiters.end());
    });
    a.run([&]() -> awaitable<void> {
        auto held = co_await fair_lock(other, "f").acquire();
        for (std::size_t i = 0; i < crowd; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto lease = co_await fair_lock(c, "f").acquire();
                co_await lease.release();
                --left;
            });
        co_await a.sleep(40s);  // far longer than the server keeps a place that is not refreshed
        CHECK(left == crowd);
        CHECK(largest == 500);
        CHECK(refreshed.size() == crowd);
        co_await held.release();
        while (left > 0)
            co_await a.sleep(1s);
        co_await a.sleep(3s);  // the queue lingers
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

}  // namespace
}  // namespace holdfast::test
