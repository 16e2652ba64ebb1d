//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// redis:// to a server in cluster mode: the only node of a cluster works as any server, another member is refused.

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/child_program.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// A server in cluster mode, without slots. Its bus has a port of its own: by default it is the other one plus 10000,
// which may be too large.
class cluster_node : public redis_server {
public:
    cluster_node() : redis_server{"cluster-enabled yes", "cluster-port " + std::to_string(free_port())} {}

    // Returns whether the server then says that it serves them.
    bool add_slots(char const* first, char const* last, std::string const& state)
    {
        command({"CLUSTER", "ADDSLOTSRANGE", first, last});
        auto const is_in_state = [&] {
            return command({"CLUSTER", "INFO"}).text.find("cluster_state:" + state) != std::string::npos;
        };
        for (int i = 0; i < 6'000 && !is_in_state(); ++i)
            std::this_thread::sleep_for(10ms);
        return is_in_state();
    }
};

// Several of each kind, in several hash slots, and two of each kind in one slot.
std::vector<any_lock> locks_of_all_kinds(client& c)
{
    std::vector<any_lock> all;
    for (std::string const n : {"a", "b", "{tag}:a", "{tag}:b"}) {
        all.emplace_back(mutex(c, n + "-m"));
        all.emplace_back(mutex(c, n + "-f", {.fencing = true}));
        all.emplace_back(reentrant_lock(c, n + "-r", c.make_owner()));
        all.emplace_back(reentrant_lock(c, n + "-rf", c.make_owner(), {.fencing = true}));
        all.emplace_back(fair_lock(c, n + "-q", {.fencing = true}));
        all.emplace_back(read_write_lock(c, n + "-rd").read());
        all.emplace_back(read_write_lock(c, n + "-w", {.fencing = true}).write());
        all.emplace_back(multi_lock(mutex(c, n + "-1"), mutex(c, n + "-2"), mutex(c, n + "-3")));
    }
    return all;
}

awaitable<void> hold_over_reconnections(cluster_node& server, client& c)
{
    std::vector<lease> held;
    for (auto const& l : locks_of_all_kinds(c))
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
    REQUIRE(server.add_slots("0", "16383", "ok"));
    live l;
    auto cfg = live::quick(server.url());
    cfg.lease = 6s;
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> { co_await hold_over_reconnections(server, c); });
    CHECK(c.stats().lost == 0);
    CHECK(server.info("errorstat_CROSSSLOT").empty());
    CHECK(server.info("errorstat_MOVED").empty());
    CHECK(server.calls("cluster|slots") >= 6);
    CHECK(l.lines_with("by one script") == 0);
    CHECK(l.until([&] { return live::census(c) == engine::client_engine::census{}; }));
}

TEST_CASE("the waiters of the only node of a cluster are woken", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots("0", "16383", "ok"));
    live l;
    auto& holds = l.client(server.tcp_url());
    auto& waits = l.client(server.tcp_url());
    l.run([&]() -> awaitable<void> {
        auto const first = locks_of_all_kinds(holds);
        auto const second = locks_of_all_kinds(waits);
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
    REQUIRE(server.add_slots("0", "8191", "fail"));
    live l;
    auto& c = l.client(server.url());
    l.run([&]() -> awaitable<void> {
        CHECK(co_await failure_of(mutex(c, "m").acquire()) == errc::protocol);
        CHECK(c.last_failure().message.find("8192 of 16384 hash slots have no primary") != std::string::npos);
        CHECK(server.calls("cluster|slots") == 1);
        co_await sleep_for(3s);
    });
    CHECK(server.calls("cluster|slots") <= 4);
    CHECK(server.calls("set") == 0);
    CHECK(l.lines_with("no connection to") == 1);
}

TEST_CASE("CLUSTER SLOTS that the access rules deny is not needed", "[live][cluster]")
{
    cluster_node server;
    REQUIRE(server.add_slots("0", "16383", "ok"));
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
