//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The option at_least on a real server.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

using maker_by_name = std::function<any_lock(holdfast::client&, std::string const& name)>;

std::vector<std::pair<std::string, maker_by_name>> exclusive_kinds()
{
    return {
        {"mutex", [](auto& c, auto const& name) { return any_lock(mutex(c, name)); }},
        {"fenced mutex", [](auto& c, auto const& name) { return any_lock(mutex(c, name, {.fencing = true})); }},
        {"reentrant", [](auto& c, auto const& name) { return any_lock(reentrant_lock(c, name, c.make_owner())); }},
        {"fair", [](auto& c, auto const& name) { return any_lock(fair_lock(c, name)); }}};
}

awaitable<void> release_early(any_lock mine, any_lock other)
{
    auto l = co_await mine.acquire({.at_least = 1h});
    co_await l.release();
    auto const all = co_await mine.holders();
    CHECK(all.size() == 1);
    CHECK(all.at(0).remaining > 59min);
    CHECK(all.at(0).remaining <= 1h + 36s + 3ms);
    auto const tried = co_await other.try_acquire();
    CHECK(tried.empty());
    bool const was_held = co_await other.force_release();
    CHECK(was_held);
    auto const next = co_await other.try_acquire({.wait = 10s});
    CHECK(next.valid());
}

TEST_CASE("a lock that is released early stays taken for at_least, unless it is released by force", "[live]")
{
    redis_server server;
    live l;
    auto& c = l.client(server.url());
    auto& other = l.client(server.url());
    l.run([&]() -> awaitable<void> {
        for (auto const& [name, make] : exclusive_kinds())
            co_await release_early(make(c, name), make(other, name));
    });
}

TEST_CASE("waiters acquire a lock that stays taken one after the other", "[live]")
{
    redis_server server;
    live l;
    unsigned grants = 0;
    for (int i = 0; i < 3; ++i) {
        auto& c = l.client(server.url());
        l.spawn([&]() -> awaitable<void> {
            auto const held = co_await mutex(c, "tick").acquire({.at_least = 50ms});
            ++grants;
        });
    }
    CHECK(l.until([&] { return grants == 3; }));
}

}  // namespace
}  // namespace holdfast::test
