//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Other threads use handles and leases while the client and its execution context are destroyed.

#include <atomic>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

// Its handlers run on a context of their own, which outlives the client's.
class user {
public:
    user(client const& c, asio::thread_pool& pool)
        : mutex_(c, "m"), held_(mutex_.acquire(asio::use_future).get()), pool_(pool), thread_([this] { work(); })
    {}

    void await_work()
    {
        REQUIRE(wait_until([this] { return answered_ > 0; }));
    }
    void end()
    {
        is_ending_ = true;
        thread_.join();
        CHECK_FALSE(held_.valid());
        CHECK(wait_until([this] { return answered_ == asked_; }));
    }

private:
    void work()
    {
        while (!is_ending_) {
            was_valid_ = held_.valid() && held_.valid_until() > std::chrono::steady_clock::time_point();
            ++asked_;
            mutex_.is_locked(asio::bind_executor(pool_, [this](error_code, bool) { ++answered_; }));
            while (answered_ + 10 < asked_)
                std::this_thread::yield();
        }
    }

    mutex const mutex_;
    lease const held_;
    asio::thread_pool& pool_;
    std::atomic<bool> is_ending_ = false;
    std::atomic<bool> was_valid_ = false;
    std::atomic<long> asked_ = 0;
    std::atomic<long> answered_ = 0;
    std::thread thread_;
};

TEST_CASE("handles and leases may be used while their client and its context are destroyed", "[threads][lifetimes]")
{
    asio::thread_pool pool(1);
    for (int round = 0; round < 100; ++round) {
        auto context = std::make_unique<asio::thread_pool>(1);
        auto c = std::make_unique<client>(
            *context, config{.url = "memory://", .log = [](log_level, std::string_view) {}});
        c->run(asio::detached);
        user another(*c, pool);
        another.await_work();
        c.reset();
        context.reset();
        another.end();
    }
    pool.join();
}

// The operation never reaches the client's strand: it is discarded with the context.
TEST_CASE("a future has a result when the context of its client is destroyed", "[threads][lifetimes]")
{
    auto context = std::make_unique<asio::thread_pool>(1);
    auto c = std::make_unique<client>(*context, config{.url = "memory://", .log = [](log_level, std::string_view) {}});
    c->run(asio::detached);
    context->stop();
    context->join();
    auto result = mutex(*c, "m").is_locked(asio::use_future);
    c.reset();
    context.reset();
    try {
        result.get();
        FAIL_CHECK("the operation has succeeded");
    } catch (std::exception const& e) {
        CHECK(std::string_view(e.what()).find(make_error_code(errc::client_stopped).message()) == 0);
    }
}

// The log function is called on the client's strand only (config::log).
TEST_CASE("a red_lock logs on the threads of its client", "[threads][red_lock]")
{
    asio::thread_pool pool(1);
    asio::thread_pool handlers(1);
    auto const clients_thread = asio::post(pool, asio::use_future([] { return std::this_thread::get_id(); })).get();
    std::atomic<long> lines = 0;
    std::atomic<long> elsewhere = 0;
    auto const log = [&](log_level, std::string_view) {
        ++lines;
        elsewhere += std::this_thread::get_id() != clients_thread;
    };
    client a(pool, config{.url = "memory://", .log = log});
    client b(pool, config{.url = "memory://", .log = log});
    a.run(asio::detached);
    b.run(asio::detached);
    lines = elsewhere = 0;             // a constructor of a client may log on the thread of its caller
    red_lock const lock({a, b}, "r");  // logs that two servers bear no failure
    CHECK(wait_until([&] { return lines > 0; }));
    lines = 0;
    std::atomic<bool> ended = false;
    // The servers are new and do not count yet.
    lock.try_acquire(asio::bind_executor(handlers, [&](error_code, lease const&) { ended = true; }));
    CHECK(wait_until([&] { return ended && lines > 0; }));
    CHECK(elsewhere == 0);
    a.stop();
    b.stop();
    pool.join();
    handlers.join();
}

}  // namespace
}  // namespace holdfast::test
