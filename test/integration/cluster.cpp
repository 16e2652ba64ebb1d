//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// redis:// to a server in cluster mode: the only node of a cluster works as any server, another member is refused.

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_kinds.hpp"
#include "support/cluster_node.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// In several hash slots, and two of each kind in one slot.
std::vector<any_lock> all_locks(client& c)
{
    return locks_of_all_kinds(c, {"a", "b", "{tag}:a", "{tag}:b"});
}

awaitable<void> hold_over_reconnections(cluster_node& server, client& c)
{
    std::vector<lease> held;
    for (auto const& l : all_locks(c))
        held.push_back(co_await l.acquire());
    for (int i = 0; i < 5; ++i) {
        server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        co_await sleep_for(2500ms);  // more than a third of the lease time
        CHECK(std::ranges::all_of(held, [](lease const& l) { return l.valid(); }));
    }
    for (auto& l : held) {
        error_code ec;
        co_await l.release(redirect(ec));
        CHECK_FALSE(ec);
    }
}

TEST_CASE("the only node of a cluster serves all kinds of locks over reconnections", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(16383, "ok"));
    live l;
    auto cfg = live::quick(server.url());
    cfg.lease = 6s;
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> { co_await hold_over_reconnections(server, c); });
    CHECK(c.stats().lost == 0);
    CHECK(server.info("errorstat_CROSSSLOT").empty());
    CHECK(server.info("errorstat_MOVED").empty());
    CHECK(server.slots_requests() >= 6);
    CHECK(l.lines_with("by one script") == 0);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("the waiters of the only node of a cluster are woken", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(16383, "ok"));
    live l;
    auto& holds = l.client(server.tcp_url());
    auto& waits = l.client(server.tcp_url());
    l.run([&]() -> awaitable<void> {
        auto const first = all_locks(holds);
        auto const second = all_locks(waits);
        for (std::size_t i = 0; i < first.size(); ++i) {
            auto held = co_await first[i].acquire();
            bool granted = false;
            l.spawn([&]() -> awaitable<void> {
                auto const mine = co_await second[i].acquire();
                granted = true;
            });
            co_await sleep_for(20ms);
            co_await held.release();
            CHECK(co_await comes_true([&] { return granted; }));
        }
    });
    CHECK(server.info("errorstat_CROSSSLOT").empty());
}

TEST_CASE("a node with half of the slots of a cluster is refused at once, and without a storm", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(8191, "fail"));
    live l;
    auto& c = l.client(server.url());
    l.run([&]() -> awaitable<void> {
        CHECK(co_await failure_of(mutex(c, "m").acquire()) == errc::protocol);
        CHECK(c.last_failure().message.find("8192 of 16384 hash slots have no primary") != std::string::npos);
        CHECK(server.slots_requests() == 1);
        co_await sleep_for(3s);
    });
    CHECK(server.slots_requests() <= 4);
    CHECK(server.calls("set") == 0);
    CHECK(l.lines_with("no connection to") == 1);
}

TEST_CASE("CLUSTER SLOTS that the access rules deny is not needed", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots(16383, "ok"));
    server.command({"ACL", "SETUSER", "poor", "on", "nopass", "+@all", "-cluster", "~*", "&*"});
    live l;
    auto& c = l.client("unix://poor:x@" + server.socket_path());
    l.run([&]() -> awaitable<void> {
        auto held = co_await multi_lock(mutex(c, "a"), mutex(c, "b")).acquire();
        CHECK(held.valid());
        co_await held.release();
    });
    CHECK(server.info("errorstat_CROSSSLOT").empty());
}

}  // namespace
}  // namespace holdfast::test
