//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// When a majority of grants is safe: a server that restarts without its data counts only when every lease that it may
// have lost has ended; a wall clock that steps forward makes a key expire before its lease ends.

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"
#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// B holds the lock on a bare majority, servers 0 and 1. Then something happens to server 0, and A tries to acquire.
struct bare_majority : nodes {
    explicit bare_majority(simulation_options o = {.world = {.fifo = true}}) : nodes(3, std::move(o)) {}

    awaitable<lease> hold(red_lock by, std::chrono::milliseconds time)
    {
        node(2).pause();
        auto held = co_await by.acquire({.lease = time});
        co_await sleep(100ms);  // the third server cannot join any more
        node(2).resume();
        co_await sleep(10ms);
        co_return held;
    }

    // Makes attempts until the other lease ends. Returns whether both were valid at once.
    awaitable<bool> is_admitted(red_lock by, lease const& held)
    {
        error_code ec;
        lease l;
        while (held.valid() && l.empty()) {
            l = co_await by.try_acquire(redirect(ec));
            co_await sleep(1ms);
        }
        co_return l.valid() && held.valid();
    }
};

// Server 0 restarts without its data, `later` after the grant; `phase` shifts its clock within a second. After `pause`,
// A makes attempts, for which it reads the server's age. Returns whether both were valid at once.
bool restart_admits_two(simulation_options o, core::duration phase, core::duration later, core::duration pause)
{
    bare_majority a(std::move(o));
    a.node(0).step_clock(phase);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    bool two = false;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);  // after this the servers count
        auto held = co_await a.hold(red_lock(theirs, "r"), 3s);
        co_await a.sleep(later);
        a.node(0).restart(true);
        co_await a.sleep(pause);
        two = co_await a.is_admitted(red_lock(ours, "r"), held);
        error_code ec;
        auto l = co_await red_lock(ours, "r").try_acquire({.wait = 10s}, redirect(ec));
        CHECK(l.valid());
    });
    return two;
}

TEST_CASE("a server that restarts at any fraction of a clock second leads to no second holder", "[red_lock]")
{
    for (auto phase = 0ms; phase < 1000ms; phase += 50ms) {
        CAPTURE(phase / 1ms);
        CHECK_FALSE(restart_admits_two({.world = {.fifo = true}}, phase, 0ms, 400ms));
    }
}

TEST_CASE("a server that restarts at a random moment leads to no second holder", "[red_lock][contest]")
{
    for (std::uint64_t seed = 1; seed <= seeds_or(100); ++seed) {
        CAPTURE(seed);
        chance luck(seed);
        auto const phase = luck.between(0ms, 1s);
        auto const later = luck.between(0ms, 500ms);
        auto const pause = luck.between(0ms, 900ms);
        REQUIRE_FALSE(restart_admits_two({.world = {.seed = seed}}, phase, later, pause));
    }
}

TEST_CASE(
    "extend() of a red_lock beyond max_lease completes as invalid_option without a command", "[red_lock][bad_input]")
{
    unsigned commands = 0;
    nodes a(3);
    auto const all = a.clients();
    red_lock const lock(all, "r", trusting);  // max_lease is the lease of the clients: 3 s
    std::vector<any_lock> const locks{lock, multi_lock(lock, mutex(*all[0], "m"))};
    a.node(0).check([&](executed const&) { ++commands; });
    a.run([&]() -> awaitable<void> {
        for (auto const& which : locks) {
            auto l = co_await which.acquire({.lease = 2s});
            co_await a.sleep(100ms);
            auto const sent = commands;
            error_code ec;
            co_await l.extend(3001ms, redirect(ec));
            CHECK(ec == errc::invalid_option);
            CHECK(
                all[0]->last_failure().message.find("extend: must not be longer than max_lease") != std::string::npos);
            co_await l.extend(std::chrono::milliseconds::max(), redirect(ec));
            CHECK(ec == errc::invalid_option);
            co_await a.sleep(100ms);
            CHECK(commands == sent);
            co_await l.extend(3s);
            co_await a.sleep(2500ms);
            CHECK(l.valid());
            co_await l.release();
        }
    });
}

TEST_CASE("a red_lock extension cannot outlast the time in which a restarted server does not count", "[red_lock]")
{
    bare_majority a;
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        auto held = co_await a.hold(red_lock(theirs, "r"), 3s);
        error_code ec;
        co_await held.extend(30s, redirect(ec));
        a.node(0).restart(true);
        bool const two = co_await a.is_admitted(red_lock(ours, "r"), held);
        CHECK_FALSE(two);
    });
}

// One clock is enough, since only two servers have granted. The drift allowance of a lease time of 3 s is 32 ms.
TEST_CASE("a clock step beyond the drift allowance on a granting server allows a second holder", "[red_lock]")
{
    for (auto const step : {0ms, 30ms, 200ms, 10'000ms})
        for (unsigned const which : {0u, 2u}) {
            bare_majority a;
            auto const ours = a.clients();
            auto const theirs = a.clients("B");
            a.run([&]() -> awaitable<void> {
                auto held = co_await a.hold(red_lock(theirs, "r", trusting), 3s);
                a.node(which).step_clock(step);
                bool const two = co_await a.is_admitted(red_lock(ours, "r", trusting), held);
                CAPTURE(step / 1ms, which);
                CHECK(two == (which == 0 && step > 32ms));
            });
        }
}

}  // namespace
}  // namespace holdfast::test
