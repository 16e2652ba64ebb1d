//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Grants that end by their time alone, of every kind of lock: nobody releases, or the holder is killed. The next
// contender follows at the end of the lease, also in a chain of such ends.

#include <functional>
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

// How much later than the end of the lease before it a grant may come.
constexpr core::duration slack = 200ms;

struct kind {
    std::string name;
    std::function<any_lock(client&)> make;
    bool is_told = true;  // each contender learns of a grant that is shorter than its re-check
};

std::vector<kind> const kinds{
    {"mutex", [](client& c) { return mutex(c, "x"); }},
    {"fenced mutex", [](client& c) { return mutex(c, "x", {.fencing = true}); }},
    {"reentrant lock", [](client& c) { return reentrant_lock(c, "x", c.make_owner()); }},
    {"fair lock", [](client& c) { return fair_lock(c, "x"); }},
    {"fenced fair lock", [](client& c) { return fair_lock(c, "x", {.fencing = true}); }},
    {"write", [](client& c) { return read_write_lock(c, "x").write(); }},
    {"semaphore", [](client& c) { return semaphore(c, "x", {.permits = 1}); }, false},
    {"numbered semaphore", [](client& c) { return semaphore(c, "x", {.permits = 1, .numbered = true}); }, false},
    {"fair semaphore", [](client& c) { return semaphore(c, "x", {.permits = 1, .fair = true}); }},
    {"multi lock", [](client& c) { return multi_lock(fair_lock(c, "x"), mutex(c, "y")); }},
};

// Contenders that queue 10 ms apart, and the time of each grant since the first one.
struct contenders {
    arena world;
    core::instant start;
    std::vector<lease> leases;  // nobody releases them
    std::vector<core::duration> grants;
    std::vector<error_code> failures;

    void note(std::string const& where, lease l, error_code ec)
    {
        if (ec)
            return failures.push_back(ec);
        if (grants.empty())
            start = world.now();
        grants.push_back(world.now() - start);
        leases.push_back(std::move(l));
        if (is_deadly)
            world.at(where).kill();
    }

    awaitable<void> contend(any_lock lock, std::string where, try_options how)
    {
        error_code ec;
        auto l = co_await lock.try_acquire(how, asio::redirect_error(use_awaitable, ec));
        if (!ec && l.empty())
            ec = errc::unavailable;
        note(where, std::move(l), ec);
    }

    void check(std::size_t count, core::duration step)
    {
        CHECK(failures.empty());
        REQUIRE(grants.size() == count);
        for (std::size_t i = 1; i < count; ++i) {
            INFO("grant " << i << " after ms " << (grants[i] - grants[i - 1]) / 1ms);
            CHECK(grants[i] - grants[i - 1] <= step + slack);
        }
    }

    core::duration const poll_interval = config{}.poll_interval;
    bool is_deadly = false;
};

std::string process_of(int i)
{
    return "P" + std::to_string(i);
}

TEST_CASE("contenders whose leases nobody releases follow each other at the ends of the leases", "[expiry]")
{
    for (auto const& k : kinds)
        for (auto const lease : {500ms, 1000ms})
            for (bool const is_one_client : {false, true}) {
                CAPTURE(k.name, lease.count(), is_one_client);
                contenders t;
                auto& one = t.world.client("A", {});
                t.world.run([&]() -> awaitable<void> {
                    for (int i = 0; i < 8; ++i) {
                        co_await t.world.sleep(10ms);
                        auto const where = is_one_client ? std::string("A") : process_of(i);
                        auto& c = is_one_client ? one : t.world.client(where, {});
                        t.world.spawn(t.contend(k.make(c), where, {.wait = 12s, .lease = lease}), where);
                    }
                    co_await t.world.sleep(14s);
                    t.check(8, lease);
                });
            }
}

TEST_CASE("after the release of a long lease, killed holders are followed at the ends of their leases", "[expiry]")
{
    for (auto const& k : kinds) {
        CAPTURE(k.name);
        contenders t;
        t.world.run([&]() -> awaitable<void> {
            auto const first = k.make(t.world.client("A", {}));
            auto held = co_await first.acquire();
            for (int i = 0; i < 4; ++i) {
                auto const where = process_of(i);
                auto& c = t.world.client(where, {.lease = 1s});
                co_await t.world.sleep(10ms);
                t.world.spawn(t.contend(k.make(c), where, {.wait = 20s}), where);
            }
            co_await t.world.sleep(1s);
            t.is_deadly = true;
            co_await held.release();
            co_await t.world.sleep(20s);
            t.check(4, k.is_told ? core::duration(1s) : t.poll_interval);
        });
    }
}

TEST_CASE("a leader that is killed is followed at the end of its lease, and so is the next one", "[expiry]")
{
    contenders t;
    auto const campaign = [&t](election e, std::string where) -> awaitable<void> {
        error_code ec;
        auto me = co_await e.campaign(where, asio::redirect_error(use_awaitable, ec));
        if (!ec) {
            if (t.grants.empty())
                t.start = t.world.now();
            t.grants.push_back(t.world.now() - t.start);
            t.world.at(where).kill();
            co_await t.world.sleep(1h, where);
        }
    };
    t.world.run([&]() -> awaitable<void> {
        election const first(t.world.client("A", {}), "x");
        auto me = co_await first.campaign("A");
        for (int i = 0; i < 4; ++i) {
            auto const where = process_of(i);
            t.world.spawn(campaign(election(t.world.client(where, {.lease = 500ms}), "x"), where), where);
            co_await t.world.sleep(20ms);
        }
        co_await t.world.sleep(1s);
        co_await me.resign();
        co_await t.world.sleep(10s);
        t.check(4, 500ms);
    });
}

// ---- readers and writers

struct side {
    bool is_read;
    any_lock of(client& c, preference who) const
    {
        read_write_lock const lock(c, "x", {.prefer = who});
        return is_read ? any_lock(lock.read()) : any_lock(lock.write());
    }
};

TEST_CASE("readers and writers whose leases nobody releases follow each other at the ends of the leases", "[expiry]")
{
    for (auto const who : {preference::arrival, preference::readers, preference::writers})
        for (auto const lease : {500ms, 1000ms})
            for (bool const is_one_client : {false, true}) {
                CAPTURE(static_cast<int>(who), lease.count(), is_one_client);
                contenders t;
                auto& one = t.world.client("A", {});
                t.world.run([&]() -> awaitable<void> {
                    for (int i = 0; i < 8; ++i) {
                        co_await t.world.sleep(10ms);
                        auto const where = is_one_client ? std::string("A") : process_of(i);
                        auto& c = is_one_client ? one : t.world.client(where, {});
                        auto const lock = side{i % 2 == 1}.of(c, who);
                        t.world.spawn(t.contend(lock, where, {.wait = 12s, .lease = lease}), where);
                    }
                    co_await t.world.sleep(14s);
                    t.check(8, lease);
                });
            }
}

TEST_CASE("after the release of a long write, killed readers and writers are followed as their leases end", "[expiry]")
{
    for (auto const who : {preference::arrival, preference::readers, preference::writers}) {
        CAPTURE(static_cast<int>(who));
        contenders t;
        t.world.run([&]() -> awaitable<void> {
            auto const first = side{false}.of(t.world.client("A", {}), who);
            auto held = co_await first.acquire();
            for (int i = 0; i < 6; ++i) {
                auto const where = process_of(i);
                auto const lock = side{i % 2 == 0}.of(t.world.client(where, {.lease = 1s}), who);
                co_await t.world.sleep(10ms);
                t.world.spawn(t.contend(lock, where, {.wait = 20s}), where);
            }
            co_await t.world.sleep(1s);
            t.is_deadly = true;
            co_await held.release();
            co_await t.world.sleep(20s);
            t.check(6, 1s);
        });
    }
}

// ---- red_lock

any_lock red_lock_in(arena& world, std::string const& where, config const& c)
{
    std::vector<client const*> members;
    for (auto* server : {"redis", "n1", "n2"})
        members.push_back(&world.client(where, c, server));
    return red_lock(members, "x", {.trust_new_nodes = true});
}

// Contenders that share a majority between them pause for a random time.
TEST_CASE("contenders for a red_lock whose leases nobody releases follow each other as the leases end", "[expiry]")
{
    for (auto const lease : {500ms, 1000ms})
        for (bool const is_one_client : {false, true}) {
            CAPTURE(lease.count(), is_one_client);
            contenders t;
            auto const one = red_lock_in(t.world, "A", {});
            t.world.run([&]() -> awaitable<void> {
                co_await t.world.sleep(1s);
                for (int i = 0; i < 8; ++i) {
                    co_await t.world.sleep(10ms);
                    auto const where = is_one_client ? std::string("A") : process_of(i);
                    auto const lock = is_one_client ? one : red_lock_in(t.world, where, {});
                    t.world.spawn(t.contend(lock, where, {.wait = 60s, .lease = lease}), where);
                }
                co_await t.world.sleep(60s);
                t.check(8, lease + 300ms);
            });
        }
}

TEST_CASE("after the release of a long red_lock, killed holders are followed as their leases end", "[expiry]")
{
    contenders t;
    t.world.run([&]() -> awaitable<void> {
        auto const first = red_lock_in(t.world, "A", {});
        co_await t.world.sleep(1s);
        auto held = co_await first.acquire();
        for (int i = 0; i < 4; ++i) {
            auto const where = process_of(i);
            auto const lock = red_lock_in(t.world, where, {.lease = 1s});
            co_await t.world.sleep(10ms);
            t.world.spawn(t.contend(lock, where, {.wait = 40s}), where);
        }
        co_await t.world.sleep(1s);
        t.is_deadly = true;
        co_await held.release();
        co_await t.world.sleep(40s);
        t.check(4, 1300ms);
    });
}

// ---- busy, and passed over

// The second lease ends when the shortest interval of the refreshes has not passed since the end of the first one.
TEST_CASE("the first waiter of a lock that is free is granted before its wait ends, not busy", "[expiry]")
{
    for (auto const& k : kinds)
        for (bool const is_one_client : {false, true}) {
            CAPTURE(k.name, is_one_client);
            contenders t;
            auto& one = t.world.client("P0", {});
            t.world.run([&]() -> awaitable<void> {
                co_await t.world.sleep(100ms);
                for (int i = 0; i < 3; ++i) {
                    auto const where = is_one_client ? std::string("P0") : process_of(i);
                    auto& c = is_one_client || i == 0 ? one : t.world.client(where, {});
                    t.world.spawn(t.contend(k.make(c), where, {.wait = 500ms, .lease = 200ms}), where);
                    co_await t.world.sleep(10ms);
                }
                co_await t.world.sleep(2s);
                t.check(3, 500ms);
            });
        }
}

// A dead waiter does not receive the message of the release, and its time-out has not passed for long.
TEST_CASE("a first waiter of a fair semaphore that no message reaches is passed, and keeps its place", "[expiry]")
{
    arena t;
    std::vector<std::string> order;
    auto const wait = [&](semaphore s, std::string where) -> awaitable<void> {
        error_code ec;
        auto l = co_await s.acquire(asio::redirect_error(use_awaitable, ec));
        order.push_back(where);
        co_await t.sleep(1h, where);
    };
    t.run([&]() -> awaitable<void> {
        semaphore const a(t.client("A", {}), "x", {.permits = 3, .fair = true});
        semaphore const b(t.client("B", {}), "x", {.permits = 3, .fair = true});
        semaphore const c(t.client("C", {}), "x", {.permits = 3, .fair = true});
        auto held = co_await a.acquire({.weight = 3});
        t.spawn(wait(b, "B"), "B");
        co_await t.sleep(50ms);
        t.spawn(wait(c, "C"), "C");
        co_await t.sleep(300ms);
        t.at("B").kill();
        co_await t.sleep(100ms);
        co_await held.release();
        co_await t.sleep(2s);
        CHECK(order == std::vector<std::string>{"C"});
        CHECK(t.server().execute({"ZCARD", "holdfast_permit_queue:{x}"}).integer == 1);
    });
}

}  // namespace
}  // namespace holdfast::test
