//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// acquire_options::require_connection: an operation does not wait for a server that is away.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/cluster_client_arena.hpp"
#include "simulation/red_arena.hpp"
#include "support/all_kinds.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr acquire_options required{.require_connection = true};

struct away {
    error_code ec;
    core::duration after;
};

// The end of an operation, and when it came.
template <class Operation>
awaitable<away> end_of(arena& a, Operation operation)
{
    away end;
    auto const begun = a.now();
    co_await operation(redirect(end.ec));
    end.after = a.now() - begun;
    co_return end;
}

awaitable<away> end_of_acquire(arena& a, any_lock lock)
{
    return end_of(a, [lock](auto token) { return lock.acquire(required, std::move(token)); });
}

// The server dies for that time, and the client has noticed it.
awaitable<void> lose_server(arena& a, core::duration downtime)
{
    a.server().restart(false, downtime);
    co_await a.sleep(10ms);
}

TEST_CASE("an acquire that requires a connection completes as unavailable at once without one", "[connection]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await lose_server(a, 10s);
        for (auto const& lock : locks_of_all_kinds(c, {"v"})) {
            CAPTURE(lock.name());
            auto const end = co_await end_of_acquire(a, lock);
            CHECK(end.ec == errc::unavailable);
            CHECK(end.after < 1ms);
            error_code ec;
            co_await lock.try_acquire({.wait = 1s, .require_connection = true}, redirect(ec));
            CHECK(ec == errc::unavailable);
            co_await lock.try_acquire({.require_connection = true}, redirect(ec));
            CHECK(ec == errc::unavailable);
        }
        co_await a.sleep(15s);
        for (auto const& lock : locks_of_all_kinds(c, {"v"}))
            CHECK((co_await lock.acquire(required)).valid());
    });
}

TEST_CASE("an acquire that requires a connection completes as unavailable when it is lost in the wait", "[connection]")
{
    arena a;
    auto& c = a.client();
    auto& other = a.client("B");
    a.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (auto const& lock : locks_of_all_kinds(other, {"v"}))
            if (lock.name() != "v-rd")
                held.push_back(co_await lock.acquire({.lease = 1h}));
        auto const locks = locks_of_all_kinds(c, {"v"});
        auto const by_others = locks_of_all_kinds(c, {"v"});  // by other owners
        for (std::size_t i = 0; i != locks.size(); ++i) {
            auto const& lock = locks[i];
            if (lock.name() == "v-rd")
                continue;
            CAPTURE(lock.name());
            error_code patient = errc::busy;
            a.spawn(
                [&]() -> awaitable<void> { co_await by_others[i].try_acquire({.wait = 300ms}, redirect(patient)); });
            auto const lost = a.now() + 100ms;
            a.world().at(lost, [&] { a.server().restart(false, 1s); });
            auto const end = co_await end_of_acquire(a, lock);
            CHECK(end.ec == errc::unavailable);
            CHECK(end.after < 110ms);
            CHECK(patient == errc::busy);  // it waits on
            co_await a.sleep(5s);
            CHECK(patient == errc::unavailable);
        }
        for (auto& l : held)
            co_await l.release();
        co_await a.sleep(5s);
        CHECK(a.census(c).arbiters == 0);
    });
}

TEST_CASE("an acquire that requires a connection waits for the first attempt to connect", "[connection]")
{
    arena a;
    a.run([&]() -> awaitable<void> {
        CHECK((co_await mutex(a.client(), "v").acquire(required)).valid());
        a.server().restart(false, 10s);
        auto const end = co_await end_of_acquire(a, mutex(a.client("B"), "v"));
        CHECK(end.ec == errc::unavailable);
        CHECK(end.after < 1s);
    });
}

TEST_CASE("a server of a cluster to which a client connects on demand is not away", "[connection][cluster]")
{
    cluster_client_arena a;
    a.run([&]() -> awaitable<void> {
        for (auto const* const name : {"{a}", "{b}", "{c}"})
            CHECK((co_await mutex(a.c(), name).acquire(required)).valid());
        a.server("node-1").restart(false, 10s);
        co_await a.sleep(10ms);
        auto const end = co_await end_of_acquire(a, mutex(a.c(), "{c}"));
        CHECK(end.ec == errc::unavailable);
        CHECK(end.after < 1ms);
        CHECK((co_await mutex(a.c(), "{b}").acquire(required)).valid());
    });
}

TEST_CASE("a re-entry that requires a connection needs it for an extension only", "[connection]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        auto const outer = co_await reentrant_lock(c, "v", me).acquire({.lease = 30s});
        a.server().restart(false, 20s);
        co_await a.sleep(10ms);
        auto const inner = co_await reentrant_lock(c, "v", me).acquire({.lease = 5s, .require_connection = true});
        CHECK(inner.valid());
        auto const end = co_await end_of(a, [&](auto token) {
            return reentrant_lock(c, "v", me).acquire({.lease = 1h, .require_connection = true}, std::move(token));
        });
        CHECK(end.ec == errc::unavailable);
        CHECK(end.after < 1ms);
        CHECK(outer.valid());
    });
}

TEST_CASE("a campaign and a wait for a latch that require a connection do not wait for one", "[connection][latch]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        election const e(c, "e");
        latch const l(c, "l");
        auto const lead = [&](auto token) { return e.campaign("me", {.require_connection = true}, std::move(token)); };
        auto const wait = [&](auto token) { return l.wait({.require_connection = true}, std::move(token)); };
        co_await l.set(1);
        auto const leader = co_await election(a.client("B"), "e").campaign("you");
        for (bool const in_the_wait : {true, false}) {
            CAPTURE(in_the_wait);
            a.world().at(a.now() + (in_the_wait ? 100ms : 0ms), [&] { a.server().restart(false, 2s); });
            co_await a.sleep(in_the_wait ? 0ms : 10ms);
            away waited;
            a.spawn([&]() -> awaitable<void> { waited = co_await end_of(a, wait); });
            auto const led = co_await end_of(a, lead);
            co_await a.sleep(1ms);
            for (auto const& end : {led, waited}) {
                CHECK(end.ec == errc::unavailable);
                CHECK(end.after < 110ms);
            }
            co_await a.sleep(10s);
        }
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(100ms);
            co_await l.count_down();
        });
        CHECK(co_await l.wait({.require_connection = true}));
    });
}

TEST_CASE(
    "a multi_lock that requires a connection ends with the first member that has none", "[connection][multi_lock]")
{
    nodes a(2);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        multi_lock const both(mutex(*all[0], "x"), mutex(*all[1], "y"));
        auto const held = co_await mutex(a.client("B", nodes::quick(), server_of(0)), "x").acquire();
        a.node(1).shut_down();
        co_await a.sleep(10ms);
        auto const end = co_await end_of_acquire(a, both);
        CHECK(end.ec == errc::unavailable);
        CHECK(end.after < 100ms);
        error_code ec;
        co_await both.try_acquire({.wait = 200ms}, redirect(ec));
        CHECK_FALSE(ec);  // another contender holds x
    });
}

TEST_CASE(
    "a red_lock that requires a connection ends as no_quorum without a quorum of connections", "[connection][red_lock]")
{
    nodes a(5);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        red_lock const lock(all, "r", trusting);
        for (unsigned i : {0u, 1u})
            a.node(i).shut_down();
        co_await a.sleep(10ms);
        CHECK((co_await lock.acquire(required)).valid());

        co_await a.sleep(1s);
        auto held = co_await red_lock(a.clients("B"), "r", trusting).acquire();
        a.world().at(a.now() + 100ms, [&] { a.node(2).shut_down(); });
        auto const lost = co_await end_of_acquire(a, lock);
        CHECK(lost.ec == errc::no_quorum);
        CHECK(lost.after < 100ms + 2 * nodes::quick().poll_interval);
        auto const end = co_await end_of_acquire(a, lock);
        CHECK(end.ec == errc::no_quorum);
        CHECK(end.after < 100ms);
        CHECK(all[0]->last_failure().message.find("not connected") != std::string::npos);

        auto const whole = co_await end_of_acquire(a, multi_lock(lock, mutex(*all[4], "m")));
        CHECK(whole.ec == errc::unavailable);
        CHECK(whole.after < 100ms);
    });
}

}  // namespace
}  // namespace holdfast::test
