//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A test acts on a holdfast::testing::server from its own thread, while clients use the server on others.

#include <atomic>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/testing/server.hpp>

#include "support/live.hpp"

namespace holdfast::test {
namespace {

asio::awaitable<void> acquire_and_release(client const& c, int times)
{
    mutex const lock(c, "m");
    for (int i = 0; i < times; ++i) {
        auto held = co_await lock.acquire();
        co_await held.release();
    }
}

TEST_CASE("a test may pause and resume a memory:// server while clients send commands", "[threads][testing]")
{
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
            server.resume();
        }
    });
    CHECK_NOTHROW(asio::co_spawn(pool, acquire_and_release(c, 1'000), asio::use_future).get());
    is_over = true;
    operating.join();
    c.stop();
    pool.join();
}

}  // namespace
}  // namespace holdfast::test
