//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// with_lock on four threads: every body waits on short timers, and is cancelled. HOLDFAST_ROUNDS is the number of
// rounds of 400 such bodies (default 4).

#include <atomic>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr int tasks = 400;

int rounds()
{
    auto const* text = std::getenv("HOLDFAST_ROUNDS");
    return text ? std::atoi(text) : 4;
}

config quiet()
{
    auto c = live::quick("memory://");
    c.log = [](log_level, std::string_view) {};
    return c;
}

// How the tasks of one round ended.
struct tally {
    std::atomic<int> lost = 0;
    std::atomic<int> cancelled = 0;
    std::atomic<int> surprises = 0;
    std::atomic<int> ended = 0;

    void note(error_code ec)
    {
        if (ec == errc::lease_lost)
            ++lost;
        else if (ec == asio::error::operation_aborted)
            ++cancelled;
        else
            ++surprises;
        ++ended;
    }
};

// The counter is plain, so that ThreadSanitizer reports a body and a caller that run at once.
awaitable<void> wait_until_cancelled(client& c, int number, std::chrono::milliseconds max_hold, tally& all)
{
    long steps = 0;
    auto body = [&](lease&) -> awaitable<void> {
        for (;; ++steps) {
            asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::microseconds(50 + number));
            co_await timer.async_wait(asio::use_awaitable);
        }
    };
    auto const ec = co_await failure_of(with_lock(mutex(c, std::to_string(number)), {.max_hold = max_hold}, body));
    all.note(steps >= 0 ? ec : error_code());
}

TEST_CASE("with_lock on four threads: a lost lease cancels a body that waits on timers", "[threads][with_lock]")
{
    bool const on_strands = GENERATE(false, true);
    CAPTURE(on_strands);
    for (int round = 0; round < rounds(); ++round) {
        asio::thread_pool pool(4);
        client c(pool, quiet());
        c.run(asio::detached);
        tally all;
        for (int i = 0; i < tasks; ++i) {
            asio::any_io_executor const where = on_strands ? asio::any_io_executor(asio::make_strand(pool))
                                                           : pool.get_executor();
            asio::co_spawn(
                where, wait_until_cancelled(c, i, std::chrono::milliseconds(3 + i % 13), all), asio::detached);
        }
        REQUIRE(wait_until([&] { return all.ended == tasks; }));
        CHECK(all.lost == tasks);
        std::thread([&] { c.stop(); }).join();
        pool.join();
    }
}

// A task that is cancelled from outside, on its strand, as cancellation signals require.
class cancellable {
public:
    cancellable(asio::thread_pool& pool, client& c, int number, tally& all) : strand_(asio::make_strand(pool))
    {
        asio::co_spawn(
            strand_,
            wait_until_cancelled(c, number, 0ms, all),
            asio::bind_cancellation_slot(signal_.slot(), asio::bind_executor(strand_, [](std::exception_ptr) {})));
    }

    void cancel()
    {
        asio::post(strand_, [this] { signal_.emit(asio::cancellation_type::terminal); });
    }

private:
    asio::strand<asio::thread_pool::executor_type> strand_;
    asio::cancellation_signal signal_;
};

TEST_CASE("with_lock on four threads: a cancellation from outside cancels the body", "[threads][with_lock]")
{
    for (int round = 0; round < rounds(); ++round) {
        asio::thread_pool pool(4);
        client c(pool, quiet());
        c.run(asio::detached);
        tally all;
        std::deque<cancellable> crowd;
        for (int i = 0; i < tasks; ++i)
            crowd.emplace_back(pool, c, i, all);
        for (auto& task : crowd)
            task.cancel();
        REQUIRE(wait_until([&] { return all.ended == tasks; }));
        CHECK(all.cancelled == tasks);
        std::thread([&] { c.stop(); }).join();
        pool.join();
    }
}

}  // namespace
}  // namespace holdfast::test
