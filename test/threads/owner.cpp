//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Many threads use one owner at once.

#include <atomic>
#include <thread>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST_CASE(
    "threads with one process owner share the lock, and exclude those with another process owner", "[owner][threads]")
{
    auto const real = GENERATE(false, true);
    redis_server server;
    asio::thread_pool pool(3);
    auto options = live::quick(real ? server.url() : "memory://shared");
    options.log = [](log_level, std::string_view) {};
    client ours(pool, options), theirs(pool, options);
    std::atomic<int> inside_ours = 0, inside_theirs = 0, collisions = 0, entries = 0;

    auto const work = [&](client& c, std::atomic<int>& mine, std::atomic<int>& others) {
        for (int i = 0; i < 30; ++i) {
            auto held = reentrant_lock(c, "r", c.process_owner()).acquire(asio::use_future).get();
            ++mine;
            ++entries;
            collisions += others > 0 || held.hold_count() < 1;
            std::this_thread::yield();
            --mine;
            held.release(asio::use_future).get();
        }
    };
    ours.run(asio::detached);
    theirs.run(asio::detached);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] { work(ours, inside_ours, inside_theirs); });
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&] { work(theirs, inside_theirs, inside_ours); });
    }
    CHECK(entries == 150);
    CHECK(collisions == 0);
    CHECK_FALSE(ours.make_owner() == ours.process_owner());
    ours.stop();
    theirs.stop();
    pool.join();
}

}  // namespace
}  // namespace holdfast::test
