//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Owners: one task with any number of handles, or the whole process; and how an owner appears on the server.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

TEST_CASE("an owner re-enters a lock through any handle and any copy of the owner", "[owner]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        auto const copy = me;
        auto first = co_await reentrant_lock(c, "r", me).acquire();
        a.commands();
        auto second = co_await reentrant_lock(c, "r", copy).acquire();
        auto third = co_await reentrant_lock(c, "r", *first.owner()).acquire();
        CHECK(a.commands().empty());
        CHECK(third.hold_count() == 3);
        co_await first.release();
        co_await third.release();
        CHECK(reentrant_lock(c, "r", copy).is_held());
        CHECK(a.exists("r"));
        co_await second.release();
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("an owner passed to a function re-enters its lock there and acquires another one", "[owner]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        auto const inner = [&c](owner on_behalf_of) -> awaitable<lease> {
            auto outer_again = co_await reentrant_lock(c, "outer", on_behalf_of).acquire();
            CHECK(outer_again.hold_count() == 2);
            co_return co_await reentrant_lock(c, "inner", on_behalf_of).acquire();
        };
        auto outer = co_await reentrant_lock(c, "outer", me).acquire();
        auto deeper = co_await inner(me);
        CHECK(deeper.hold_count() == 1);
        CHECK(deeper.owner() == me);
        co_await a.sleep(0ms);  // until the release of the destroyed lease is delivered
        CHECK(outer.hold_count() == 1);
    });
}

TEST_CASE("all tasks that use process_owner() hold a lock together and exclude all others", "[owner]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await d.ready();
        int inside = 0;
        for (int i = 0; i < 3; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto l = co_await reentrant_lock(c, "r", c.process_owner()).acquire();
                ++inside;
                co_await a.sleep(1s);
            });
        co_await a.sleep(100ms);
        CHECK(inside == 3);
        auto const task = co_await reentrant_lock(c, "r", c.make_owner()).try_acquire();
        CHECK(task.empty());
        auto const other = co_await reentrant_lock(d, "r", d.process_owner()).try_acquire();
        CHECK(other.empty());
        auto const next = co_await reentrant_lock(d, "r", d.process_owner()).acquire();
        CHECK(next.valid());
        CHECK(inside == 3);
    });
}

// "<uuid>:<number>", as Redisson writes it: 8-4-4-4-12 lower-case hexadecimal digits.
bool is_holder(std::string_view text)
{
    std::string const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx:";
    auto const fits = [](char p, char c) {
        return p == 'x' ? std::string_view("0123456789abcdef").find(c) != std::string_view::npos : p == c;
    };
    return text.size() > pattern.size() && std::equal(pattern.begin(), pattern.end(), text.begin(), fits)
           && text.find_first_not_of("0123456789", pattern.size()) == text.npos;
}

TEST_CASE("a grant of a fair lock to process_owner() is shared by all waiting tasks of the process", "[owner][fair]")
{
    arena a;
    auto& c = a.client();
    std::optional<lease> first, second;
    auto const take = [&](std::optional<lease>& into) -> awaitable<void> {
        into = co_await fair_lock(c, "f", c.process_owner()).acquire();
    };
    a.spawn(take(first));
    a.spawn(take(second));
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(100ms);
        REQUIRE((first && second));
        CHECK(first->hold_count() == 2);
        co_await first->release();
        CHECK(second->valid());
        co_await second->release();
        CHECK_FALSE(a.exists("f"));
    });
}

// Redisson's transactional locks append their transaction to the holder: `<uuid>:<thread>:<transaction>`.
TEST_CASE("an owner's label is stored on the server like the transaction of a Redisson lock", "[owner][interop]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const label = "3f4af2c1b7e04f3f8f0e5f0c7f5a9d10";
        auto held = co_await reentrant_lock(c, "r", c.make_owner(label)).acquire();
        auto const hash = a.server().execute({"HGETALL", "r"});
        REQUIRE(hash.items.size() == 2);
        auto const& field = hash.items[0].text;
        auto const suffix = std::string(":") + label;
        CHECK(field.ends_with(suffix));
        CHECK(is_holder(field.substr(0, field.size() - suffix.size())));
        CHECK(hash.items[1].text == "1");
        auto const self = co_await reentrant_lock(c, "r", c.make_owner()).holders();
        REQUIRE(self.size() == 1);
        CHECK(self[0].label == label);
        CHECK(self[0].id + ":" + label == hash.items[0].text);
    });
}

TEST_CASE("a holder with a Redisson transaction excludes others and is listed with its label", "[owner][interop]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"HSET", "r", "0b1c2d3e-0000-4000-8000-000000000001:57:tx:7", "2"});
        a.server().execute({"PEXPIRE", "r", "30000"});
        reentrant_lock r(c, "r", c.make_owner("tx:7"));  // the same label does not make the same holder
        auto const busy = co_await r.try_acquire();
        CHECK(busy.empty());
        auto const all = co_await r.holders();
        REQUIRE(all.size() == 1);
        CHECK(all[0].id == "0b1c2d3e-0000-4000-8000-000000000001:57");
        CHECK(all[0].label == "tx:7");
        CHECK(all[0].remaining > 29s);
    });
}

TEST_CASE("two owners with the same label exclude each other", "[owner]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto held = co_await reentrant_lock(c, "r", c.make_owner("tx")).acquire();
        auto const busy = co_await reentrant_lock(c, "r", c.make_owner("tx")).try_acquire();
        CHECK(busy.empty());
    });
}

TEST_CASE("an owner outlives its client, and acquires for it then complete as client_stopped", "[owner]")
{
    arena a;
    std::optional<owner> left;
    std::optional<reentrant_lock> lock;
    {
        auto c = std::make_unique<holdfast::client>(
            a.at("A").get_executor(), holdfast::config{.url = "memory://redis", .log = [](auto, auto) {}});
        left = c->make_owner("left behind");
        lock.emplace(*c, "r", *left);
    }
    CHECK(left->label() == "left behind");
    CHECK_FALSE(lock->is_held());
    a.run([&]() -> awaitable<void> {
        auto const ec = co_await error_of(lock->acquire(use_awaitable));
        CHECK(ec == errc::client_stopped);
    });
}

}  // namespace
}  // namespace holdfast::test
