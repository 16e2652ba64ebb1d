//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Waiters for locks of a Redis Cluster learn of releases by messages, also when hash slots move, and poll where the
// access rules deny the messages.

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr std::size_t seats = 200;

std::string seat(std::size_t i)
{
    return "seat" + std::to_string(i);
}

awaitable<std::vector<lease>> hold_seats(client& c)
{
    std::vector<lease> held;
    for (std::size_t i = 0; i != seats; ++i)
        held.push_back(co_await mutex(c, seat(i)).acquire());
    co_return held;
}

void move_seats(server_cluster& cluster)
{
    for (std::size_t i = 0; i != seats; ++i)
        cluster.move_on(seat(i));
}

TEST_CASE("waiters of two hundred slots that move are woken by messages, over the same connections", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    // Without a message a waiter would look again after half a minute.
    auto cfg = live::quick(cluster.url());
    cfg.lease = cfg.poll_interval = 30s;
    auto& holds = l.client(cfg);
    auto& waits = l.client(cfg);
    std::size_t granted = 0;
    l.run([&]() -> awaitable<void> {
        auto held = co_await hold_seats(holds);
        for (std::size_t i = 0; i != seats; ++i)
            l.spawn([&, i]() -> awaitable<void> {
                auto const mine = co_await mutex(waits, seat(i)).acquire();
                ++granted;
            });
        co_await sleep_for(500ms);
        auto const connections = waits.stats().connected;
        for (int round = 0; round != 3; ++round) {
            move_seats(cluster);
            co_await sleep_for(500ms);
        }
        CHECK(granted == 0);
        for (auto& h : held)
            co_await h.release();
        CHECK(co_await comes_true([&] { return granted == seats; }));
        CHECK(waits.stats().connected == connections);
    });
    CHECK(holds.stats().lost == 0);
    CHECK(l.until([&] { return live::census(waits) == engine::client_engine::census{}; }));
}

TEST_CASE("without a right to sharded messages a waiter polls", "[live][cluster]")
{
    auto const* const right = GENERATE("ssubscribe", "sunsubscribe", "spublish", "client|reply");
    CAPTURE(right);
    server_cluster cluster;
    for (std::size_t i = 0; i != cluster.size(); ++i)
        cluster[i].command({"ACL", "SETUSER", "default", std::string("-") + right});
    live l;
    auto& holds = l.client(cluster.url());
    auto& waits = l.client(cluster.url());
    l.run([&]() -> awaitable<void> {
        for (auto const* const name : {"{a}", "{b}", "{c}"}) {
            auto held = co_await mutex(holds, name).acquire();
            bool granted = false;
            l.spawn([&]() -> awaitable<void> {
                auto const mine = co_await mutex(waits, name).acquire();
                granted = true;
            });
            co_await sleep_for(300ms);
            co_await held.release();
            CHECK(co_await comes_true([&] { return granted; }));
        }
    });
    CHECK(holds.stats().lost == 0);
    CHECK(l.lines_with("waiters poll") <= 3);
}

}  // namespace
}  // namespace holdfast::test
