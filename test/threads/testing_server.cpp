//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A test acts on a holdfast::testing::server from its own thread, while clients use the server on others.

#include <atomic>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/testing/server.hpp>

#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

// Sends commands without waiting for their replies.
asio::awaitable<void> send_queries(client const& c, int count, std::atomic<int>& answered)
{
    mutex const lock(c, "m");
    for (int i = 0; i < count; ++i) {
        lock.is_locked([&](error_code, bool) { ++answered; });
        co_await asio::post(asio::use_awaitable);
    }
}

TEST_CASE("a test may pause and resume a memory:// server while clients send commands", "[threads][testing]")
{
    constexpr int count = 20'000;
    asio::thread_pool pool(1);
    testing::server server(pool);
    auto options = server.config();
    options.log = [](log_level, std::string_view) {};
    client c(pool, options);
    c.run(asio::detached);
    std::atomic<bool> is_over = false;
    std::thread operating([&] {
        while (!is_over) {
            server.pause();
            std::this_thread::yield();
            server.resume();
        }
    });
    std::atomic<int> answered = 0;
    asio::co_spawn(pool, send_queries(c, count, answered), asio::use_future).get();
    CHECK(wait_until([&] { return answered == count; }));
    is_over = true;
    operating.join();
    c.stop();
    pool.join();
}

}  // namespace
}  // namespace holdfast::test
