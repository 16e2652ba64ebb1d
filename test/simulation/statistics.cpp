//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The statistics of leases and connections; accounts.cpp has those of acquires.

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// The part of one kind and label; empty if there is none.
stats_part part_of(client const& c, lock_kind k, std::string_view label = {})
{
    for (auto const& p : c.stats().parts)
        if (p.kind == k && p.label == label)
            return p;
    return {};
}

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

TEST_CASE("each kind of lock has statistics of its own", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        auto const one = co_await mutex(c, "mutex").acquire();
        auto const two = co_await mutex(c, "fenced", {.fencing = true}).acquire();
        auto const three = co_await reentrant_lock(c, "reentrant", me).acquire();
        auto const four = co_await fair_lock(c, "fair").acquire();
        auto const five = co_await read_write_lock(c, "rw").read().acquire();
        auto const six = co_await read_write_lock(c, "other rw").write().acquire();
        semaphore const permits(c, "semaphore", {.permits = 3});
        auto const seven = co_await permits.acquire({.weight = 2});
        co_await a.sleep(1s);  // all are renewed
    });
    CHECK(c.stats().parts.size() == 6);
    CHECK(part_of(c, lock_kind::mutex).acquired == 2);
    std::uint64_t renewals = 0;
    for (auto const& p : c.stats().parts) {
        CAPTURE(to_string(p.kind));
        auto const expected = p.kind == lock_kind::mutex ? 2u : 1u;
        CHECK(p.acquired == expected);
        CHECK(p.wait.count == expected);
        CHECK(p.round_trip.count >= expected);
        CHECK(p.renewal_lag.count >= expected);
        renewals += p.renewal_lag.count;
    }
    CHECK(renewals == c.stats().renewal_lag.count);
}

TEST_CASE("the members of a multi_lock count their losses in the part of their kind", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        multi_lock const both(mutex(c, "x"), fair_lock(c, "y"));
        auto held = co_await both.acquire();
        a.server().execute({"DEL", "y"});
        co_await held.lost();
    });
    CHECK(part_of(c, lock_kind::multi).acquired == 1);
    CHECK(part_of(c, lock_kind::multi).lost == 0);
    CHECK(part_of(c, lock_kind::fair).acquired == 0);
    CHECK(part_of(c, lock_kind::fair).lost == 1);
    CHECK(part_of(c, lock_kind::mutex).lost == 0);
    CHECK(c.stats().lost == 1);
}

TEST_CASE("locks have statistics by the label that the program makes of their names", "[statistics]")
{
    arena a;
    auto config = arena::quick();
    config.stats_label = [](std::string_view name) { return std::string(name.substr(0, name.find(':'))); };
    config.max_stats_labels = 2;
    auto& c = a.client("A", config);
    a.run([&]() -> awaitable<void> {
        for (auto const* name : {"orders:1", "orders:2", "stock:1", "users:1", "orders:1"}) {
            auto held = co_await mutex(c, name).acquire();
            co_await held.release();
        }
        auto const held = co_await mutex(c, "orders:3").acquire();
        CHECK(part_of(c, lock_kind::mutex, "orders").held == 1);
        CHECK(part_of(c, lock_kind::mutex, "stock").held == 0);
        multi_lock const both(mutex(c, "orders:4"), mutex(c, "users:2"));
        auto const several = co_await both.acquire();
    });
    CHECK(part_of(c, lock_kind::mutex, "orders").acquired == 4);
    CHECK(part_of(c, lock_kind::mutex, "stock").acquired == 1);
    CHECK(part_of(c, lock_kind::mutex, "other").acquired == 1);
    CHECK(part_of(c, lock_kind::multi, "orders").acquired == 1);  // by its name, orders:4+users:2
    CHECK(c.stats().acquired == 7);
}

TEST_CASE("a refused command counts in the part of its lock", "[statistics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"RPUSH", "list", "x"});
        error_code ec;
        co_await mutex(c, "list").try_acquire(asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::wrong_type);
    });
    CHECK(part_of(c, lock_kind::mutex).refused == 1);
    CHECK(c.stats().refused == 1);
}

}  // namespace holdfast::test
