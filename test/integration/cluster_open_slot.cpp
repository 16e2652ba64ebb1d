//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A hash slot that an operator leaves half-moved: some of its keys are at one primary, some at another one.

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_leases.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// All in one slot: those with an even number move, the others stay until the slot is closed.
std::vector<any_lock> plain_locks(client& c)
{
    return {
        mutex(c, "{a}:0"),
        mutex(c, "{a}:1"),
        mutex(c, "{a}:2"),
        mutex(c, "{a}:3"),
        reentrant_lock(c, "{a}:4", c.make_owner()),
        reentrant_lock(c, "{a}:5", c.make_owner())};
}
// Their scripts need several keys.
std::vector<any_lock> other_locks(client& c)
{
    return {
        mutex(c, "{a}:6", {.fencing = true}),
        fair_lock(c, "{a}:8"),
        read_write_lock(c, "{a}:10", c.make_owner()).write(),
        read_write_lock(c, "{a}:12").read(),
        semaphore(c, "{a}:14", {.permits = 1}),
        semaphore(c, "{a}:16", {.permits = 1, .numbered = true}),
        semaphore(c, "{a}:18", {.permits = 1, .fair = true})};
}
// Of the last ones, and of an election, one of several keys: the others stay.
std::vector<std::string> const moving{
    "{a}:0", "{a}:2", "{a}:4", "{a}:6", "{a}:8", "{a}:10", "{a}:12", "{a}:14", "{a}:16", "{a}:18", "{a}:20"};

awaitable<std::vector<lease>> acquire(std::vector<any_lock> all)
{
    std::vector<lease> held;
    for (auto const& lock : all)
        held.push_back(co_await lock.acquire());
    co_return held;
}

awaitable<void> release(std::vector<lease>& held)
{
    for (auto& h : held)
        co_await h.release();
}

TEST_CASE("leases outlast a hash slot that stays half-moved for three lease times", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.lease = 6s;
    auto& holds = l.client(cfg);
    auto& rival = l.client(cfg);
    auto const to = (cluster.primary_of("{a}") + 1) % cluster.size();
    l.run([&]() -> awaitable<void> {
        auto held = co_await acquire(plain_locks(holds));
        auto others = co_await acquire(other_locks(holds));
        auto leader = co_await election(holds, "{a}:20").campaign("leads");
        cluster.begin_move("{a}", to, moving);
        for (int i = 0; i != 40; ++i) {
            co_await sleep_for(500ms);
            CHECK((are_valid(held) && are_valid(others) && leader.valid()));
            for (auto const& lock : plain_locks(rival)) {
                auto const taken = co_await lock.try_acquire();
                CHECK(taken.empty());
            }
        }
        co_await release(held);
        cluster.end_move("{a}", to);
        co_await release(others);
        co_await leader.resign();
        for (auto const& all : {plain_locks(rival), other_locks(rival)}) {
            auto again = co_await acquire(all);
            co_await release(again);
        }
    });
    CHECK(holds.stats().lost == 0);
    CHECK(cluster.errors("ASK") > 0);
    CHECK(l.until([&] { return live::census(holds) == engine::client_engine::census{}; }));
}

TEST_CASE(
    "a lock whose hash slot is half-moved can be acquired, and is held when the slot has moved", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& first = l.client(cluster.url());
    auto& second = l.client(cluster.url());
    auto const to = (cluster.primary_of("{a}") + 1) % cluster.size();
    l.run([&]() -> awaitable<void> {
        cluster.begin_move("{a}", to, {});
        auto held = co_await mutex(first, "{a}:new").acquire();
        auto again = co_await reentrant_lock(first, "{a}:re", first.make_owner()).acquire();
        auto taken = co_await mutex(second, "{a}:new").try_acquire();
        CHECK(taken.empty());
        co_await held.release();
        taken = co_await mutex(second, "{a}:new").try_acquire();
        CHECK_FALSE(taken.empty());
        cluster.end_move("{a}", to);
        auto const contended = co_await reentrant_lock(second, "{a}:re", second.make_owner()).try_acquire();
        CHECK(contended.empty());
        co_await taken.release();
        co_await again.release();
    });
    CHECK(first.stats().lost == 0);
}

// Acquires and releases the lock again and again.
awaitable<void> contend(mutex lock, std::chrono::steady_clock::time_point end, int& grants)
{
    while (std::chrono::steady_clock::now() < end) {
        auto held = co_await lock.acquire();
        ++grants;
        co_await sleep_for(5ms);
        co_await held.release();
    }
}

// The message of a release at the destination reaches nobody, and no waiter looks because of the poll interval.
TEST_CASE("contenders of several clients are served in turn while the hash slot is half-moved", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto cfg = live::quick(cluster.url());
    cfg.poll_interval = 1min;
    std::array<client*, 3> const clients{&l.client(cfg), &l.client(cfg), &l.client(cfg)};
    std::array<int, 3> grants{};
    auto const to = (cluster.primary_of("{a}") + 1) % cluster.size();
    l.run([&]() -> awaitable<void> {
        cluster.begin_move("{a}", to, {});
        int ended = 0;
        auto const end = std::chrono::steady_clock::now() + 10s;
        for (std::size_t i = 0; i != clients.size(); ++i)
            asio::co_spawn(
                l.context(), contend(mutex(*clients[i], "{a}"), end, grants[i]), [&](std::exception_ptr) { ++ended; });
        auto const have_ended = co_await comes_true([&] { return ended == 3; });
        CHECK(have_ended);
    });
    for (int const n : grants)
        CHECK(n >= 5);
    CHECK(cluster.errors("ASK") > 0);
}

// Its scripts need the lock, which has moved, and the queue, which has not. So no place can be refreshed.
TEST_CASE("waiters of a fair lock keep their order while the hash slot is half-moved", "[live][cluster]")
{
    server_cluster cluster;
    std::vector<int> expected, served;
    bool is_released = false;
    live l;
    std::array<client*, 3> const clients{&l.client(cluster.url()), &l.client(cluster.url()), &l.client(cluster.url())};
    constexpr int waiters = 9;
    constexpr fair_options options{.waiter_timeout = 4s};
    auto const from = cluster.primary_of("{a}");
    auto const to = (from + 1) % cluster.size();
    auto const in_queue = [&](std::size_t node) {
        return cluster[node].command({"LLEN", "redisson_lock_queue:{a}"}).integer;
    };
    l.run([&]() -> awaitable<void> {
        auto held = co_await fair_lock(*clients[0], "{a}", options).acquire();
        for (int i = 0; i != waiters; ++i) {
            expected.push_back(i);
            l.spawn([&, i]() -> awaitable<void> {
                fair_lock const lock(*clients[static_cast<std::size_t>(i) % clients.size()], "{a}", options);
                auto mine = co_await lock.acquire();
                served.push_back(i);
                co_await mine.release();
            });
            REQUIRE(co_await comes_true([&] { return in_queue(from) == i + 1; }));
        }
        cluster.begin_move("{a}", to, {"{a}"});
        co_await sleep_for(2 * options.waiter_timeout);
        CHECK(held.valid());
        l.spawn([&]() -> awaitable<void> {
            error_code ec;
            co_await held.release(redirect(ec));
            is_released = true;
        });
        co_await sleep_for(1s);
        CHECK(served.empty());
        CHECK(in_queue(from) == waiters);
        cluster.end_move("{a}", to);
        CHECK(co_await comes_true([&] { return served.size() == waiters && is_released; }));
        CHECK(served == expected);
        CHECK(in_queue(to) == 0);
    });
    CHECK(cluster.errors("TRYAGAIN") > 0);
    CHECK(clients[0]->stats().lost == 0);
}

}  // namespace
}  // namespace holdfast::test
