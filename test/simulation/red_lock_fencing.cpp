//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Fencing tokens of a red_lock: confirmed by a majority, or no lease.

#include <catch2/catch_test_macros.hpp>

#include <holdfast/fence_gate.hpp>

#include "simulation/red_arena.hpp"
#include "support/interval_checker.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

bool has(std::string const& text, char const* what)
{
    return text.find(what) != text.npos;
}

TEST_CASE(
    "a fencing token of a red_lock is greater than all earlier ones, whichever majority grants it",
    "[red_lock][fencing]")
{
    nodes a(3);
    auto const all = a.clients();
    a.node(0).step_clock(2s);  // the one clock that is ahead
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        red_lock lock(all, "r", fenced);
        std::uint64_t last = 0;
        for (int i = 0; i < 30; ++i) {
            auto& out = a.node(static_cast<unsigned>(i % 3));
            out.pause();
            auto l = co_await lock.acquire();
            auto const token = l.fencing_token().value_or(0);
            CHECK(token > last);
            CHECK(l.fencing_token("r") == token);
            last = token;
            out.resume();
            co_await l.release();
            co_await a.sleep(10ms);
        }
        // The token follows the clock that is ahead: the other clocks alone would give a smaller one.
        a.node(0).pause();
        auto l = co_await lock.acquire();
        CHECK(l.fencing_token() > last);
        a.node(0).resume();
    });
}

TEST_CASE("a red_lock acquire fails as no_quorum when no majority confirms the fencing token", "[red_lock][fencing]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        for (unsigned i : {1u, 2u})
            after_grant(a.node(i), [&a, i] { a.world().at(a.now(), [&a, i] { a.node(i).pause(); }); });
        a.node(0).network.delay = {4ms, 4ms};  // so that the others are the majority
        error_code ec;
        auto l = co_await red_lock(all, "r", {.fencing = true, .node_timeout = 40ms, .trust_new_nodes = true})
                     .try_acquire(redirect(ec));
        CHECK(ec == errc::no_quorum);
        CHECK(l.empty());
        CHECK_FALSE(l.fencing_token());
        CHECK(has(all[0]->last_failure().message, "did not confirm the fencing token"));
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).resume();
        co_await a.sleep(5s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE(
    "a server whose key another holder has taken over neither confirms nor stores the fencing token",
    "[red_lock][fencing]")
{
    nodes a(3);
    auto const all = a.clients();
    auto const counter = [&](unsigned i) { return a.node(i).execute({"GET", "holdfast_fence:{r}"}).text; };
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        std::string before;
        auto const change_hands = [&] {
            a.node(1).execute({"SET", "r", "somebody else's", "PX", "60000"});
            before = counter(1);
        };
        after_grant(a.node(1), [&] { a.world().at(a.now(), change_hands); });
        a.node(0).step_clock(10s);             // the greatest token comes from this server
        a.node(2).network.delay = {4ms, 4ms};  // so that the others are the majority
        error_code ec;
        auto l = co_await red_lock(all, "r", {.fencing = true, .node_timeout = 40ms, .trust_new_nodes = true})
                     .try_acquire(redirect(ec));
        CHECK(ec == errc::no_quorum);
        CHECK(l.empty());
        CHECK(has(all[0]->last_failure().message, "server 2: did not confirm the fencing token"));
        co_await a.sleep(5s);
        CHECK(a.keys("r") == 1);
        CHECK_FALSE(before.empty());
        CHECK(counter(1) == before);
    });
}

TEST_CASE(
    "a red_lock acquire fails when its validity ends before the fencing token is confirmed", "[red_lock][fencing]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        // The process pauses between the two rounds, for longer than the lease time.
        after_grant(a.node(2), [&a] { a.world().at(a.now() + 5ms, [&a] { a.at("A").pause_for(400ms); }); });
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).network.delay = {4ms, 4ms};
        error_code ec;
        auto l = co_await red_lock(all, "r", {.fencing = true, .node_timeout = 40ms, .trust_new_nodes = true})
                     .try_acquire({.lease = 300ms}, redirect(ec));
        CHECK(l.empty());
        CHECK(ec == errc::no_quorum);
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("a grant that has expired when the round is counted does not count towards the majority", "[red_lock]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        // The first grant has arrived; the process pauses before the second one arrives.
        a.node(0).network.delay = {1ms, 1ms};
        for (unsigned i : {1u, 2u})
            a.node(i).network.delay = {4ms, 4ms};
        a.node(0).check([&a, done = false](executed const& e) mutable {
            if (e.what.args[0] == "SET" && !std::exchange(done, true))
                a.world().at(a.now() + 2ms, [&a] { a.at("A").pause_for(400ms); });
        });
        error_code ec;
        auto l = co_await red_lock(all, "r", {.node_timeout = 40ms, .trust_new_nodes = true})
                     .try_acquire({.lease = 300ms}, redirect(ec));
        CHECK(l.empty());
        CHECK(ec == errc::no_quorum);
        CHECK(has(all[0]->last_failure().message, "granted too late"));
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

// For the interval checker: a lease that has been held from `from` until now.
held_interval interval_of(arena const& a, std::string holder, core::instant from, lease const& l)
{
    return {
        .lock = "r",
        .holder = std::move(holder),
        .from = from.time_since_epoch().count(),
        .to = (l.valid() ? a.now() : from).time_since_epoch().count() + 1,
        .fence = l.fencing_token().value_or(0)};
}

TEST_CASE(
    "when the clocks of a majority step, a second holder is granted the lock, and fencing refuses the first",
    "[red_lock][fencing]")
{
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        auto stale = co_await red_lock(theirs, "r", fenced).acquire({.lease = 3s});
        auto const first = a.now();
        for (unsigned i : {0u, 1u})
            a.node(i).step_clock(10s);
        auto fresh = co_await red_lock(ours, "r", fenced).acquire({.lease = 3s});
        auto const second = a.now();
        co_await a.sleep(10ms);
        // No lock with a lease time can prevent this when clocks step.
        auto const violation = find_violation({interval_of(a, "B", first, stale), interval_of(a, "A", second, fresh)});
        CHECK(violation.value_or("none").starts_with("overlap"));

        fence_gate gate;
        std::string guarded;
        bool const written = gate.pass(fresh.fencing_token().value_or(0), [&] { guarded = "fresh"; });
        bool const overwritten = gate.pass(stale.fencing_token().value_or(0), [&] { guarded = "stale"; });
        CHECK(written);
        CHECK_FALSE(overwritten);
        CHECK(guarded == "fresh");
    });
}

TEST_CASE("a fenced red_lock refuses members that are not fenced mutexes", "[red_lock][fencing][bad_input]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        std::vector<any_lock> plain, good;
        for (unsigned i = 0; i < 3; ++i) {
            plain.emplace_back(mutex(*all[i], "r"));
            good.emplace_back(mutex(*all[i], "r", {.fencing = true}));
        }
        auto const ec = co_await error_of(red_lock(plain, fenced).acquire(asio::use_awaitable));
        CHECK(ec == errc::invalid_option);
        CHECK(has(all[0]->last_failure().message, "fencing"));
        auto l = co_await red_lock(good, fenced).acquire();
        CHECK(l.fencing_token());
        co_await l.release();
        l = co_await red_lock(good, trusting).acquire();
        CHECK(l.valid());
        CHECK_FALSE(l.fencing_token());
        CHECK_FALSE(l.fencing_token("r"));  // the tokens of single servers are not comparable
    });
}

}  // namespace
}  // namespace holdfast::test
