//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Queries that read thousands of waiters or holders in parts, while others come and go.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr auto line_key = "redisson_lock_queue:{q}";
constexpr auto line_timeouts_key = "redisson_lock_timeout:{q}";
constexpr auto permit_timeouts_key = "{s}:timeout";

// A client of Redisson.
std::string place(int i)
{
    return "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:" + std::to_string(i);
}

void enter(arena& a, int i)
{
    a.server().execute({"RPUSH", line_key, place(i)});
    a.server().execute({"ZADD", line_timeouts_key, "1900000000000", place(i)});
}

TEST_CASE("waiters() reads a long queue in parts, and misses nobody who stays", "[fair_lock][query]")
{
    arena a;
    fair_lock const lock(a.client(), "q");
    for (int i = 0; i < 3'500; ++i)
        enter(a, i);
    a.run([&]() -> awaitable<void> {
        co_await a.client().ready();
        bool is_read = false;
        int left = 0;
        a.spawn([&]() -> awaitable<void> {
            for (; !is_read; ++left) {
                a.server().execute({"LPOP", line_key});
                enter(a, 3'500 + left);
                co_await a.sleep(50us);
            }
        });
        a.commands();
        auto const all = co_await lock.waiters();
        is_read = true;
        CHECK(std::ranges::count(a.commands(), "EVALSHA") >= 4);
        CHECK(left > 3);
        std::vector<std::string> ids, staying;
        for (auto const& w : all)
            ids.push_back(w.id);
        for (int i = left; i < 3'500; ++i)
            staying.push_back(place(i));
        CHECK(std::ranges::search(ids, staying).size() == staying.size());
        CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
    });
}

TEST_CASE("holders() and permits() of a semaphore with thousands of permits", "[semaphore][query]")
{
    arena a;
    semaphore const s(a.client(), "s", {.permits = 5'000});
    a.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (int i = 0; i < 1'200; ++i)
            held.push_back(co_await s.acquire({.lease = 1h, .weight = 2}));
        held.push_back(co_await s.acquire({.lease = 1h, .weight = 100}));
        a.commands();
        auto const all = co_await s.holders();
        CHECK(std::ranges::count(a.commands(), "EVALSHA") == 3);
        REQUIRE(all.size() == 1'201);
        CHECK(std::ranges::count(all, 2u, &holder::weight) == 1'200);
        CHECK(std::ranges::count(all, 100u, &holder::weight) == 1);
        CHECK(std::ranges::is_sorted(all, {}, &holder::remaining));
        auto const count = co_await s.permits();
        CHECK(count.total == 5'000);
        CHECK(count.held == 2'500);
        // A member whose time has passed, and one of another client, which ends later than its score.
        auto const now = std::stoll(a.server().execute({"TIME"}).items.at(0).text) * 1000;
        a.server().execute({"ZADD", permit_timeouts_key, std::to_string(now - 20'000), "0123456789abcdef"});
        a.server().execute({"ZADD", permit_timeouts_key, std::to_string(now - 5'000), "1123456789abcdef"});
        auto const more = co_await s.permits();
        CHECK(more.total == 5'002);
        CHECK(more.held == 2'501);
        CHECK((co_await s.holders()).size() == 1'202);
    });
}

}  // namespace
}  // namespace holdfast::test
