//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// No lock can have the name of a key that belongs to another lock: the two would overwrite each other.

#include <set>
#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// Locks of all kinds and forms under one name, without elections and latches.
std::vector<any_lock> all_locks(client& c, std::string const& name)
{
    read_write_lock const fenced(c, name, {.fencing = true});
    return {
        mutex(c, name),
        mutex(c, name, {.fencing = true}),
        reentrant_lock(c, name, c.make_owner()),
        reentrant_lock(c, name, c.make_owner(), {.fencing = true}),
        fair_lock(c, name),
        fair_lock(c, name, {.fencing = true}),
        fenced.read(),
        fenced.write(),
        semaphore(c, name, {.permits = 1}),
        semaphore(c, name, {.permits = 1, .fair = true}),
        semaphore(c, name, {.permits = 1, .numbered = true})};
}

// Each is held, waited for by another process, and released, and the keys that exist meanwhile are noted.
struct all_kinds_at_work {
    arena world;
    client& one = world.client("A");
    client& other = world.client("B");
    std::set<std::string> keys;

    all_kinds_at_work()
    {
        world.server().check([this](executed const&) {
            auto const now = world.server().model().keys().names();
            keys.insert(now.begin(), now.end());
        });
    }

    awaitable<void> contend(any_lock a, any_lock b)
    {
        auto held = co_await a.acquire(use_awaitable);
        error_code ec;
        auto waited = co_await b.try_acquire({.wait = 100ms}, asio::redirect_error(use_awaitable, ec));
        co_await held.release(use_awaitable);
        co_await world.sleep(10ms);
    }
    awaitable<void> contend_all(std::string name)
    {
        auto const first = all_locks(one, name);
        auto const second = all_locks(other, name);
        for (std::size_t i = 0; i < first.size(); ++i) {
            co_await contend(first[i], second[i]);
            world.server().model().keys().clear();
        }
        read_write_lock const here(one, name), there(other, name);
        co_await contend(here.write(), there.read());
        co_await contend(here.read(), there.write());
        fair_lock const first_of_queue(one, name), preferred(other, name);
        auto held = co_await first_of_queue.acquire(use_awaitable);
        error_code ec;
        auto none = co_await preferred.try_acquire(
            {.wait = 100ms, .priority = 9}, asio::redirect_error(use_awaitable, ec));
        co_await held.release(use_awaitable);
    }
    awaitable<void> lead_and_count(std::string name)
    {
        latch l(one, name);
        co_await l.set(2, use_awaitable);
        co_await l.count_down(1, use_awaitable);
        world.server().model().keys().clear();
        election e(one, name);
        auto leads = co_await e.campaign("here", use_awaitable);
        co_await leads.resign(use_awaitable);
    }
};

TEST_CASE("no lock, election or latch can have the name of another one's key", "[keys][lock_names]")
{
    all_kinds_at_work w;
    w.world.run([&]() -> awaitable<void> {
        co_await w.one.ready();
        co_await w.other.ready();
        for (auto* name : {"v", "{t}:v"}) {
            w.keys.clear();
            co_await w.contend_all(name);
            co_await w.lead_and_count(name);
            w.keys.erase(name);
            CHECK(w.keys.size() >= 15);
            auto const keys = w.keys;
            w.world.commands();
            for (auto const& key : keys) {
                CAPTURE(key);
                for (auto const& lock : all_locks(w.one, key)) {
                    auto const ec = co_await error_of(lock.acquire(use_awaitable));
                    CHECK(ec == errc::invalid_name);
                }
                CHECK(w.one.last_failure().message.find("belongs to another lock") != std::string::npos);
                auto const on_latch = co_await error_of(latch(w.one, key).set(1, use_awaitable));
                CHECK(on_latch == errc::invalid_name);
                auto const on_election = co_await error_of(election(w.one, key).campaign("", use_awaitable));
                CHECK(on_election == errc::invalid_name);
            }
            CHECK(w.world.commands().empty());
        }
    });
}

TEST_CASE("the prefix of the client counts as a part of a name that may be another lock's key", "[keys][lock_names]")
{
    arena a;
    auto with_prefix = [&](char const* where, std::string prefix) -> client& {
        auto c = arena::quick();
        c.key_prefix = std::move(prefix);
        return a.client(where, std::move(c));
    };
    auto& part = with_prefix("A", "holdfast_");
    auto& whole = with_prefix("B", "app:");
    a.run([&]() -> awaitable<void> {
        co_await part.ready();
        co_await whole.ready();
        auto const refused = co_await error_of(mutex(part, "fence:{v}").acquire(use_awaitable));
        CHECK(refused == errc::invalid_name);
        auto const another = co_await error_of(mutex(whole, "holdfast_fence:{v}").acquire(use_awaitable));
        CHECK(another == error_code());
        auto const suffix = co_await error_of(mutex(whole, "{v}:timeout").acquire(use_awaitable));
        CHECK(suffix == errc::invalid_name);
    });
}

}  // namespace
}  // namespace holdfast::test
