//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The statistics of leases and connections; accounts.cpp has those of acquires.

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

}  // namespace

TEST_CASE("each lost lease counts for the reason of its loss", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto fixed = co_await mutex(c, "fixed").acquire({.lease = 500ms});
        auto capped = co_await mutex(c, "capped").acquire({.max_hold = 1s});
        auto deleted = co_await mutex(c, "deleted").acquire();
        auto kept = co_await mutex(c, "kept").acquire();
        a.server().execute({"DEL", "deleted"});
        co_await fixed.lost();
        co_await capped.lost();
        co_await deleted.lost();
        c.stop();
        co_await kept.lost();
    });
    auto const s = c.stats();
    CHECK(s.lost == 4);
    CHECK(s.lost_by.expired == 1);
    CHECK(s.lost_by.max_hold == 1);
    CHECK(s.lost_by.key_missing == 1);
    CHECK(s.lost_by.client_stopped == 1);
}

TEST_CASE("each connection that can be used counts, and the gauge is 1 while there is one", "[statistics]")
{
    arena a;
    auto& c = a.client();
    CHECK(c.stats().connected == 0);
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        CHECK(c.stats().connected == 1);
        // The client tries to connect several times meanwhile, which counts nothing.
        a.server().restart(false, 5s);
        co_await a.sleep(2s);
        CHECK(c.stats().connected == 0);
        CHECK(c.stats().connections == 1);
        co_await c.ready();
        CHECK(c.stats().connected == 1);
        CHECK(c.stats().connections == 2);
        c.stop();
        co_await a.sleep(1s);
    });
    CHECK(c.stats().connected == 0);
    CHECK(c.stats().connections == 2);
}

TEST_CASE("each command that the server refuses counts", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"RPUSH", "list", "x"});
        for (int i = 1; i <= 3; ++i) {
            error_code ec;
            co_await mutex(c, "list").try_acquire(asio::redirect_error(use_awaitable, ec));
            CHECK(ec == errc::wrong_type);
            CHECK(c.stats().refused == static_cast<std::uint64_t>(i));
        }
    });
}

TEST_CASE("a histogram has the sum of its durations", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        for (auto const d : {20ms, 300ms}) {
            auto held = co_await mutex(c, "m").acquire();
            co_await a.sleep(d);
            co_await held.release();
        }
    });
    auto const s = c.stats();
    CHECK(s.hold.count == 2);
    CHECK(s.hold.sum >= 320ms);
    CHECK(s.hold.sum < 330ms);
    CHECK(s.round_trip.sum > 0ms);
}

}  // namespace holdfast::test
