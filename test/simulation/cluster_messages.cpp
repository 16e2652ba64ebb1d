//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Sharded messages: who waits for a lock of a Redis Cluster learns of its release, also when its hash slot has moved.

#include <algorithm>
#include <optional>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "simulation/cluster_client_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Of a round trip of 2 ms; a re-check comes after poll_interval, a second.
constexpr auto soon = 20ms;

class two_clients : public cluster_client_arena {
public:
    explicit two_clients(cluster_options o = slow_gossip) : cluster_client_arena(o), other(make_cluster_client("B")) {}

    // A lock of node-2 that the first client holds, and for which the other one waits.
    awaitable<void> contend()
    {
        co_await visit_all(c());
        co_await visit_all(other);
        held = co_await mutex(c(), "{a}").acquire();
        spawn([this]() -> awaitable<void> {
            auto const won = co_await mutex(other, "{a}").acquire();
            granted = now();
        });
        co_await sleep(100ms);
    }

    awaitable<void> release()
    {
        released = now();
        co_await held.release();
        co_await sleep(5s);
    }

    bool was_granted_soon() const { return granted && *granted - released < soon; }

    holdfast::client& other;
    lease held;
    core::instant released{};
    std::optional<core::instant> granted;
};

bool says_that_waiters_poll(std::string const& line)
{
    return line.find("does not permit SUBSCRIBE") != line.npos;
}

TEST_CASE("a release in a cluster wakes a waiter by a sharded message", "[cluster]")
{
    two_clients a;
    int sharded = 0, plain = 0;
    for (auto const& name : a.cluster.names())
        a.server(name).check([&](executed const& e) {
            sharded += e.what.args[0] == "spublish";
            plain += e.what.args[0] == "publish";
        });
    a.run([&]() -> awaitable<void> {
        co_await a.contend();
        co_await a.release();
        CHECK(a.was_granted_soon());
        CHECK((sharded > 0 && plain == 0));
    });
}

TEST_CASE("a waiter subscribes anew where its slot has moved", "[cluster]")
{
    two_clients a;
    a.run([&]() -> awaitable<void> {
        co_await a.contend();
        a.cluster.move("{a}", 1);
        co_await a.sleep(50ms);  // the seed has not heard of the move yet
        co_await a.release();
        CHECK(a.was_granted_soon());
        CHECK(a.c().stats().connected == 4);  // no connection was lost
    });
}

TEST_CASE("a release right behind the move of its slot wakes the waiter", "[cluster]")
{
    two_clients a;
    a.run([&]() -> awaitable<void> {
        co_await a.contend();
        a.cluster.move("{a}", 1);
        co_await a.release();
        CHECK(a.was_granted_soon());
    });
}

TEST_CASE("a subscription ends at a primary that a seed does not know of yet", "[cluster]")
{
    cluster_client_arena a({.gossip = {5s, 5s}, .bus = {1ms, 1ms}});
    auto& other = a.make_cluster_client("B");
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all(a.c());
        co_await a.visit_all(other);
        auto const held = co_await mutex(a.c(), "{a}").acquire();
        a.cluster.move("{a}", 1);
        // MOVED names node-1, and the seed still node-2.
        auto const none = co_await mutex(other, "{a}").try_acquire({.wait = 1s});
        CHECK(none.empty());
        co_await a.sleep(3s);
        CHECK(a.server("node-1").model().publish_sharded("redisson_lock__channel:{a}", "0") == 0);
        co_await a.sleep(3s);
    });
}

// Without a command for that slot, no MOVED leads back to the present primary.
TEST_CASE("a subscription that no waiter needs ends at a primary from which a seed leads away", "[cluster]")
{
    cluster_client_arena a({.gossip = {60s, 60s}, .bus = {1ms, 1ms}});
    auto& other = a.make_cluster_client("B");
    auto& present = a.server("node-1");
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all(a.c());
        co_await a.visit_all(other);
        auto const held = co_await mutex(a.c(), "{a}").acquire();
        a.cluster.move("{a}", 1);
        CHECK((co_await mutex(other, "{a}").try_acquire({.wait = 100ms})).empty());
        CHECK(present.model().publish_sharded("redisson_lock__channel:{a}", "0") == 1);
        // It is silent, so the client asks the seed, which has not heard of the move.
        present.pause();
        co_await error_of(mutex(other, "{c}").try_acquire({.wait = 500ms}));
        present.resume();
        co_await a.sleep(3s);
        CHECK(present.model().publish_sharded("redisson_lock__channel:{a}", "0") == 0);
    });
}

TEST_CASE("a subscription ends at a primary that has refused another one", "[cluster]")
{
    two_clients a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all(a.c());
        co_await a.visit_all(a.other);
        auto const first = co_await mutex(a.c(), "{a}:1").acquire();
        auto const second = co_await mutex(a.c(), "{a}:2").acquire();
        a.spawn([&]() -> awaitable<void> { co_await mutex(a.other, "{a}:1").try_acquire({.wait = 6s}); });
        co_await a.sleep(100ms);
        auto& node = a.server("node-2").model();
        node.deny_channels(true);
        co_await mutex(a.other, "{a}:2").try_acquire({.wait = 5s});
        CHECK(node.publish_sharded("redisson_lock__channel:{a}:1", "0") == 1);
        co_await a.sleep(5s);
        CHECK(node.publish_sharded("redisson_lock__channel:{a}:1", "0") == 0);
    });
}

// The seed names the former primary for 5 s, and MOVED the present one.
TEST_CASE("while a seed is out of date, a release wakes the waiter at any moment", "[cluster]")
{
    for (auto after = 50ms; after < 4s; after += 150ms) {
        CAPTURE(after.count());
        two_clients a({.gossip = {5s, 5s}, .bus = {1ms, 1ms}});
        a.run([&]() -> awaitable<void> {
            co_await a.contend();
            auto const questions = a.slots_requests;
            a.cluster.move("{a}", 1);
            co_await a.sleep(after);
            CHECK(a.slots_requests <= questions + 4);  // of two clients, which know the primary
            co_await a.release();
            CHECK(a.was_granted_soon());
            CHECK(a.c().stats().connected == 4);
        });
        CHECK(std::ranges::none_of(a.logged(), says_that_waiters_poll));
    }
}

// As if the slot came back to it between its refusals and its reply to the attempt.
TEST_CASE("a primary that refuses a subscription twice, and then serves the lock, is asked once more", "[cluster]")
{
    two_clients a;
    auto& node = a.server("node-2");
    unsigned requested = 0;
    node.model().deny_channels(true);
    node.check([&](executed const& e) {
        if (!e.what.args.empty() && e.what.args[0] == "SSUBSCRIBE" && ++requested == 2)
            node.model().deny_channels(false);
    });
    a.run([&]() -> awaitable<void> {
        co_await a.contend();
        co_await a.sleep(1s);
        co_await a.release();
        CHECK(a.was_granted_soon());
    });
    CHECK(requested == 3);
    CHECK(std::ranges::none_of(a.logged(), says_that_waiters_poll));
}

TEST_CASE("without the right to a channel, waiters at that primary poll, and one line says so", "[cluster]")
{
    two_clients a;
    a.server("node-2").model().deny_channels(true);
    a.run([&]() -> awaitable<void> {
        co_await a.contend();
        co_await a.sleep(3s);
        co_await a.release();
        CHECK(a.granted);
        CHECK(*a.granted - a.released < 2s);
        CHECK(a.c().stats().connected == 4);
        CHECK(std::ranges::count_if(a.logged(), says_that_waiters_poll) == 1);
        auto const questions = a.slots_requests;
        co_await a.sleep(30s);
        CHECK(a.slots_requests <= questions + 2);  // two clients ask once in a minute
    });
}

}  // namespace
}  // namespace holdfast::test
