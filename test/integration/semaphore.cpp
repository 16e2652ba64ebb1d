//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Semaphores on a real server: several clients contend for permits, some acquires are cancelled, connections break.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/chance.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr unsigned total = 5;
constexpr unsigned clients = 3;
constexpr unsigned contenders = 8;  // of each client
constexpr int rounds = 20;

class contest {
public:
    explicit contest(live& l) : live_(l) {}

    awaitable<void> contend(semaphore s)
    {
        for (int i = 0; i < rounds; ++i) {
            auto const weight = 1 + static_cast<unsigned>(chance_.below(3));
            asio::cancellation_signal signal;
            asio::steady_timer timer(live_.context(), chance_.happens(0.2) ? 2ms : 1h);
            timer.async_wait([&](error_code ec) {
                if (!ec)
                    signal.emit(asio::cancellation_type::terminal);
            });
            error_code ec;
            auto l = co_await s.acquire(
                {.weight = weight},
                asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
            timer.cancel();
            if (!ec)
                co_await hold(l, weight);
        }
        --running;
    }

    unsigned running = clients * contenders;
    unsigned grants = 0;
    unsigned most = 0;  // permits at a time

private:
    awaitable<void> hold(lease& l, unsigned weight)
    {
        ++grants;
        held_ += weight;
        most = std::max(most, held_);
        asio::steady_timer work(live_.context(), std::chrono::microseconds(chance_.below(2'000)));
        co_await work.async_wait(use_awaitable);
        held_ -= weight;
        if (chance_.happens(0.5))
            co_await l.release();
    }

    live& live_;
    chance chance_{1};
    unsigned held_ = 0;
};

void share_permits(semaphore_options o)
{
    redis_server server;
    live l;
    contest c(l);
    for (unsigned i = 0; i < clients; ++i) {
        semaphore const s(l.client(server.url()), "s", o);
        for (unsigned n = 0; n < contenders; ++n)
            l.spawn(c.contend(s));
    }
    REQUIRE(l.until([&] { return c.running == 0; }, 60s));
    CHECK(c.most <= total);
    CHECK(c.grants > clients * contenders * rounds / 2);
    l.run([&]() -> awaitable<void> {
        semaphore const s(l.at(0), "s", o);
        auto all = co_await s.try_acquire({.wait = 5s, .weight = total});
        CHECK(all.valid());
        auto const count = co_await s.permits();
        CHECK(count.held == total);
        co_await all.release();
    });
    CHECK(server.command({"GET", "s"}).text == std::to_string(total));
    auto const left = server.command(
        {"EXISTS", "{s}:timeout", "holdfast_permit_queue:{s}", "holdfast_permit_waiters:{s}"});
    CHECK(left.integer == 0);
}

TEST_CASE("clients share the permits of a semaphore on a real server, and none is lost", "[semaphore]")
{
    share_permits({.permits = total});
}

TEST_CASE("clients share the permits of a fair semaphore on a real server, and none is lost", "[semaphore]")
{
    share_permits({.permits = total, .fair = true});
}

TEST_CASE("permits of several semaphores are renewed together on a real server", "[semaphore]")
{
    redis_server server;
    live l;
    auto config = live::quick(server.url());
    config.lease = 3s;
    auto& c = l.client(config);
    l.run([&]() -> awaitable<void> {
        auto one = co_await semaphore(c, "s", {.permits = 2}).acquire();
        auto two = co_await semaphore(c, "t", {.permits = 3}).acquire({.weight = 3});
        asio::steady_timer work(l.context(), 4s);
        co_await work.async_wait(use_awaitable);
        CHECK(one.valid());
        CHECK(two.valid());
        CHECK(server.command({"ZCARD", "{t}:timeout"}).integer == 3);
    });
}

}  // namespace
}  // namespace holdfast::test
