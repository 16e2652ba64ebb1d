//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Nodes of a cluster that keep their ids and their slots, but change their addresses, and what the client keeps of the
// servers that it has left.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "simulation/cluster_client_arena.hpp"
#include "support/all_kinds.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using former = simulated_cluster::former_address;

constexpr cluster_options quick_gossip{.gossip = {1ms, 300ms}, .bus = {1ms, 1ms}};

using names = std::vector<std::string>;
names const all_places{"{a}", "{b}", "{c}"};
names const all_kept{"{a}kept", "{b}kept", "{c}kept"};

// Contenders of several processes, for locks of all kinds at all nodes, and leases that are kept all the time.
class crew {
public:
    explicit crew(cluster_client_arena& a) : arena_(a) {}

    // Two contenders for each lock. Each of them goes on until stop().
    void contend(client& c, std::string const& where, names const& places = all_places)
    {
        for (int i = 0; i < 2; ++i)
            for (auto& lock : locks_of_all_kinds(c, places)) {
                ++running_;
                arena_.spawn([this, lock, where] { return contender(lock, where); }, where);
            }
    }
    awaitable<void> keep(client& c, names const& places = all_kept)
    {
        for (auto& lock : locks_of_all_kinds(c, places))
            kept_.push_back(co_await lock.acquire());
    }
    // Ends the contenders. Nothing may hang: each of them has its lock within the time.
    awaitable<void> stop(core::duration limit)
    {
        stopped_ = true;
        for (auto const end = arena_.now() + limit; running_ != 0 && arena_.now() < end;)
            co_await arena_.sleep(10ms);
        CHECK(running_ == 0);
        CHECK(std::ranges::all_of(kept_, [](lease const& each) { return each.valid(); }));
        CHECK(overlaps_ == 0);
        CHECK(lost_ == 0);
        for (auto& each : kept_)
            co_await each.release();
    }
    // The least number of rounds of one lock since the last call.
    int rounds()
    {
        auto const least = std::ranges::min_element(rounds_, {}, [](auto const& r) { return r.second; })->second;
        for (auto& [name, count] : rounds_)
            count = 0;
        return least;
    }

private:
    awaitable<void> contender(any_lock lock, std::string where)
    {
        std::string const name(lock.name());
        rounds_.try_emplace(name, 0);
        while (!stopped_) {
            auto held = co_await lock.acquire();
            overlaps_ += inside_[name]++ != 0 && !is_shared(name);
            co_await arena_.sleep(20ms, where);
            lost_ += !held.valid();
            --inside_[name];
            ++rounds_[name];
            co_await error_of(held.release());
        }
        --running_;
    }
    static bool is_shared(std::string const& name) { return name.ends_with("-rd"); }

    cluster_client_arena& arena_;
    std::vector<lease> kept_;
    std::map<std::string, int> inside_;
    std::map<std::string, int> rounds_;
    int running_ = 0;
    int overlaps_ = 0;
    int lost_ = 0;
    bool stopped_ = false;
};

TEST_CASE("a node that is replaced at another address is found, and no lease is lost", "[cluster][address]")
{
    auto const how = GENERATE(former::refuses, former::is_silent);
    cluster_client_arena a(quick_gossip);
    auto& b = a.make_cluster_client("B");
    crew all(a);
    a.run([&]() -> awaitable<void> {
        co_await all.keep(a.c());
        all.contend(a.c(), "A");
        all.contend(b, "B");
        co_await a.sleep(1s);
        a.cluster.replace_container(2, 200ms, how);
        co_await a.sleep(2s);
        all.rounds();
        co_await a.sleep(3s);
        CHECK(all.rounds() > 0);
        co_await all.stop(3s);
    });
}

// The seeds of the URL are not there any more when the last node has been replaced.
TEST_CASE("all nodes are replaced at other addresses, one after the other", "[cluster][address]")
{
    auto const how = GENERATE(former::refuses, former::is_silent);
    cluster_client_arena a(quick_gossip);
    auto& b = a.make_cluster_client("B", {"node-1", "node-2"});
    crew all(a);
    a.run([&]() -> awaitable<void> {
        co_await all.keep(a.c());
        all.contend(a.c(), "A");
        all.contend(b, "B");
        for (unsigned node = 0; node != 3; ++node) {
            co_await a.sleep(3s);
            a.cluster.replace_container(node, 200ms, how);
        }
        co_await a.sleep(2s);
        // A client that starts now excludes, and is excluded by, those that were there before.
        auto& late = a.make_cluster_client("L", {a.cluster.model().host_of("node-0")});
        all.contend(late, "L");
        all.rounds();
        co_await a.sleep(3s);
        CHECK(all.rounds() > 0);
        co_await all.stop(3s);
    });
}

// ---- all primaries are lost

TEST_CASE("replicas are asked for the slots when no primary is left", "[cluster][failover]")
{
    cluster_client_arena a({.replicas = 3, .gossip = {1ms, 100ms}, .bus = {1ms, 1ms}});
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        auto& model = a.cluster.model();
        for (unsigned i = 0; i != 3; ++i)
            a.cluster.node(i).shut_down();
        co_await a.sleep(1s);
        for (unsigned i = 0; i != 3; ++i)
            model.promote(a.cluster.names()[3 + i], a.cluster.names()[i], a.cluster.node(i).model().keys());
        co_await a.sleep(3s);
        CHECK(held.valid());
        for (auto const& place : all_places) {
            mutex other(a.c(), place + ":other");
            auto const granted = co_await other.try_acquire({.wait = 1s});
            CHECK(granted.valid());
        }
    });
}

// ---- what is left of former servers

TEST_CASE("after a hundred changes of address there are no more sessions than nodes", "[cluster][address]")
{
    names const place{"{a}"};
    names const kept{"{a}kept"};
    cluster_client_arena a(quick_gossip);
    crew all(a);
    a.run([&]() -> awaitable<void> {
        co_await all.keep(a.c(), kept);
        all.contend(a.c(), "A", place);
        for (int i = 0; i != 100; ++i) {
            a.cluster.replace_container(2, 50ms, i % 2 == 0 ? former::refuses : former::is_silent);
            co_await a.sleep(1s);
        }
        CHECK(a.made_sessions() >= 100);
        CHECK(a.sessions() <= 3);
        all.rounds();
        co_await a.sleep(3s);
        CHECK(all.rounds() > 0);
        co_await all.stop(3s);
    });
}

// node-0 and node-3 have the same slots in turn.
TEST_CASE("after a hundred failovers there are no more sessions than nodes", "[cluster][failover]")
{
    names const place{"{b}"};
    names const kept{"{b}kept"};
    cluster_client_arena a({.replicas = 1, .gossip = {1ms, 100ms}, .bus = {1ms, 1ms}});
    auto& model = a.cluster.model();
    crew all(a);
    a.run([&]() -> awaitable<void> {
        co_await all.keep(a.c(), kept);
        all.contend(a.c(), "A", place);
        unsigned primary = 0;
        for (int i = 0; i != 100; ++i) {
            auto const former = std::exchange(primary, 3 - primary);
            auto const& name = a.cluster.names()[former];
            a.cluster.node(former).restart(false, 700ms);
            co_await a.sleep(100ms);
            model.promote(a.cluster.names()[primary], name, a.cluster.node(former).model().keys());
            model.rejoin(name);
            co_await a.sleep(900ms);
        }
        CHECK(a.made_sessions() >= 100);
        CHECK(a.sessions() <= 4);
        all.rounds();
        co_await a.sleep(3s);
        CHECK(all.rounds() > 0);
        co_await all.stop(3s);
    });
}

TEST_CASE("a node with a wrong announcement is found when it is corrected", "[cluster][address]")
{
    auto const how = GENERATE(former::refuses, former::is_silent);
    cluster_client_arena a(quick_gossip);
    bool granted = false;
    a.run([&]() -> awaitable<void> {
        a.server("nobody").shut_down();
        a.server("black hole").pause();
        a.cluster.announce(2, "wrong");
        a.simulated().lead("wrong", how == former::refuses ? "nobody" : "black hole");
        co_await a.sleep(1s);
        co_await a.c().ready();
        a.spawn([&]() -> awaitable<void> { granted = (co_await mutex(a.c(), "{a}").acquire()).valid(); });
        co_await a.sleep(3s);
        CHECK_FALSE(granted);
        a.cluster.announce(2, "right");
        co_await a.sleep(2s);
        CHECK(granted);
    });
}

// The connection proves more than the map.
TEST_CASE("a connection to a node that announces another address is kept while it works", "[cluster][address]")
{
    cluster_client_arena a(quick_gossip);
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        a.simulated().server("black hole").pause();
        a.cluster.announce(2, "elsewhere");
        co_await a.sleep(1s);
        auto const before = a.c().stats().connected;
        co_await (co_await mutex(a.c(), "{a}:other").acquire()).release();
        co_await (co_await mutex(a.c(), "{b}:other").acquire()).release();
        co_await a.sleep(90s);  // a map was taken
        CHECK(a.c().stats().connected == before);
        CHECK(held.valid());
    });
}

TEST_CASE("a node whose connection is silent is sought at its new address", "[cluster][address]")
{
    cluster_client_arena a(quick_gossip);
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        a.server("node-2").network.delay = {1h, 1h};  // of the connections that are open
        a.cluster.announce(2, "elsewhere");
        co_await a.sleep(500ms);
        auto const start = a.now();
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(1ms);
            a.server("node-2").network.delay = {1ms, 1ms};
        });
        auto const other = co_await mutex(a.c(), "{a}:other").acquire();
        CHECK(a.now() - start < 3s);
        CHECK(held.valid());
    });
}

TEST_CASE("MOVED to a known node at its new address makes no second node of it", "[cluster][address]")
{
    cluster_client_arena a({.gossip = {1ms, 1ms}, .bus = {1ms, 1ms}});
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto held = co_await mutex(a.c(), "{a}").acquire();
        // node-1 names node-2 at an address that the client does not know yet.
        a.cluster.announce(2, "elsewhere");
        co_await a.sleep(2ms);
        a.cluster.move("{c}", 2);
        auto const moved = co_await mutex(a.c(), "{c}").acquire();
        co_await a.sleep(90s);
        CHECK(held.valid());
        CHECK(moved.valid());
        CHECK(a.has(2, "{c}"));
        CHECK(a.has(2, "{a}"));
    });
}

}  // namespace
}  // namespace holdfast::test
