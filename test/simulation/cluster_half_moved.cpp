//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A hash slot that stays half-moved: leases outlast it, whichever of their keys have moved.

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "simulation/cluster_client_arena.hpp"

namespace holdfast::test {
namespace {

using Catch::Generators::from_range;

using namespace std::chrono_literals;
using asio::awaitable;

// The locks of one hash slot, {a}, that a client may hold.
struct held_kind {
    char const* name;
    std::function<awaitable<lease>(client&)> acquire;
};

std::vector<held_kind> const held_kinds{
    {"mutex", [](client& c) -> awaitable<lease> { co_return co_await mutex(c, "{a}").acquire(); }},
    {"fenced mutex",
     [](client& c) -> awaitable<lease> { co_return co_await mutex(c, "{a}", {.fencing = true}).acquire(); }},
    {"reentrant_lock",
     [](client& c) -> awaitable<lease> { co_return co_await reentrant_lock(c, "{a}", c.make_owner()).acquire(); }},
    {"fair_lock", [](client& c) -> awaitable<lease> { co_return co_await fair_lock(c, "{a}").acquire(); }},
    {"read", [](client& c) -> awaitable<lease> { co_return co_await read_write_lock(c, "{a}").read().acquire(); }},
    {"read among other libraries",
     [](client& c) -> awaitable<lease> {
         co_return co_await read_write_lock(c, "{a}", {.peer_watchdog = 1s}).read().acquire();
     }},
    {"write", [](client& c) -> awaitable<lease> { co_return co_await read_write_lock(c, "{a}").write().acquire(); }},
    {"semaphore",
     [](client& c) -> awaitable<lease> { co_return co_await semaphore(c, "{a}", {.permits = 2}).acquire(); }},
    {"numbered semaphore",
     [](client& c) -> awaitable<lease> {
         co_return co_await semaphore(c, "{a}", {.permits = 2, .numbered = true}).acquire();
     }},
    {"fair semaphore",
     [](client& c) -> awaitable<lease> {
         co_return co_await semaphore(c, "{a}", {.permits = 2, .fair = true}).acquire();
     }},
};

std::vector<std::string> keys_of_slot(cluster_client_arena& a)
{
    std::vector<std::string> all = a.server("node-2").model().keys().names();
    std::erase_if(all, [](auto const& key) { return core::hash_slot(key) != core::hash_slot("{a}"); });
    return all;
}

// Of the keys of the lock, those whose bit is set have moved.
void begin_move(cluster_client_arena& a, unsigned bits)
{
    auto& cluster = a.cluster.model();
    cluster.begin_move(core::hash_slot("{a}"), "node-1");
    auto const keys = keys_of_slot(a);
    for (std::size_t i = 0; i != keys.size(); ++i)
        if ((bits >> i & 1) != 0)
            cluster.move_key(keys[i]);
}

TEST_CASE("a lease of each kind outlasts a half-moved slot, whichever of its keys have moved", "[cluster][half-moved]")
{
    auto const kind = GENERATE(from_range(held_kinds));
    for (unsigned bits = 0; bits != 8; ++bits) {
        CAPTURE(kind.name, bits);
        cluster_client_arena a;
        a.run([&]() -> awaitable<void> {
            co_await a.visit_all();
            auto held = co_await kind.acquire(a.c());
            begin_move(a, bits);
            for (int i = 0; i != 40; ++i) {  // the lease time is 3 s
                co_await a.sleep(500ms);
                CHECK(held.valid());
                for (unsigned n = 0; n != 3; ++n)
                    a.server(a.cluster.names()[n]).execute({"PING"});
            }
            a.cluster.move("{a}", 1);
            co_await a.sleep(5s);
            CHECK(held.valid());
            co_await held.release();
        });
        CHECK(a.c().stats().lost == 0);
    }
}

TEST_CASE("a leadership outlasts a half-moved slot", "[cluster][half-moved][election]")
{
    for (unsigned bits = 0; bits != 8; ++bits) {
        CAPTURE(bits);
        cluster_client_arena a;
        a.run([&]() -> awaitable<void> {
            co_await a.visit_all();
            auto me = co_await election(a.c(), "{a}").campaign("x");
            begin_move(a, bits);
            co_await a.sleep(20s);
            CHECK(me.valid());
            a.cluster.move("{a}", 1);
            co_await a.sleep(5s);
            auto const now = co_await election(a.c(), "{a}").current();
            CHECK((now && now->value == "x"));
            co_await me.resign();
        });
    }
}

// The mark of a waiting writer may be at the other node.
TEST_CASE("no reader joins a read that was renewed in a half-moved slot", "[cluster][half-moved]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        read_write_lock const lock(a.c(), "{a}");
        auto const first = co_await lock.read().acquire();
        begin_move(a, 1);
        co_await a.sleep(2s);
        auto const second = co_await error_of(lock.read().try_acquire({.wait = 300ms}));
        CHECK(second == errc::unavailable);
        a.cluster.move("{a}", 1);
        co_await a.sleep(2s);
        auto const third = co_await lock.read().try_acquire({.wait = 300ms});
        CHECK(third.valid());
        CHECK(first.valid());
    });
}

// The lock was deleted by force, or its time to live ended: what is left of the read keeps nothing alive.
TEST_CASE("a read in a half-moved slot is lost when one of its keys is gone", "[cluster][half-moved]")
{
    for (bool const is_lock : {true, false}) {
        CAPTURE(is_lock);
        cluster_client_arena a;
        a.run([&]() -> awaitable<void> {
            co_await a.visit_all();
            auto const held = co_await read_write_lock(a.c(), "{a}").read().acquire();
            begin_move(a, 1);
            for (auto const* const node : {"node-1", "node-2"})
                for (auto const& key : a.server(node).model().keys().names())
                    if (core::hash_slot(key) == core::hash_slot("{a}") && (key == "{a}") == is_lock)
                        a.server(node).model().keys().erase(key);
            co_await a.sleep(1500ms);
            CHECK_FALSE(held.valid());
        });
    }
}

TEST_CASE("a permit in a half-moved slot is lost when it was taken away", "[cluster][half-moved][semaphore]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.visit_all();
        auto const held = co_await semaphore(a.c(), "{a}", {.permits = 2}).acquire();
        begin_move(a, 1);
        for (auto const* const node : {"node-1", "node-2"})
            a.server(node).model().keys().erase("{a}:timeout");
        co_await a.sleep(1500ms);
        CHECK_FALSE(held.valid());
    });
}

}  // namespace
}  // namespace holdfast::test
