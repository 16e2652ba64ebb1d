//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Faults of RedMutex in redis-plus-plus that a red_lock does not have; clients that end during an acquire; servers that
// deny INFO.

#include <chrono>

#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// ---- RedMutex

// RedMutex throws, and leaves the other two servers locked.
TEST_CASE("unlike RedMutex, a red_lock acquires and releases with one of three servers down", "[red_lock][peers]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        a.node(1).faults.refuse_connect = 1;
        a.node(1).model().disconnect_all();
        auto l = co_await red_lock(all, "r", trusting).acquire();
        CHECK(l.valid());
        CHECK(a.keys("r") == 2);
        co_await l.release();
        CHECK(a.keys("r") == 0);
        a.node(1).faults = {};
    });
}

// RedMutex does not release the grants of a minority.
TEST_CASE(
    "unlike RedMutex, a red_lock without a majority releases its grants at the end of each round", "[red_lock][peers]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        a.node(0).pause();
        a.node(1).pause();
        error_code ec;
        auto l = co_await red_lock(all, "r", trusting).try_acquire(redirect(ec));
        CHECK(ec == errc::no_quorum);
        co_await a.sleep(2ms);
        CHECK_FALSE(a.exists("r", "n2"));

        a.spawn([&]() -> awaitable<void> { l = co_await red_lock(all, "r", trusting).acquire(); });
        co_await a.sleep(5s);
        int held = 0;
        for (int i = 0; i < 200; ++i) {
            co_await a.sleep(10ms);
            held += a.exists("r", "n2");
        }
        CHECK(held <= 30);  // for node_timeout of each round, and not in the pauses between them
        a.node(0).resume();
        a.node(1).resume();
        co_await a.sleep(10s);
        CHECK(l.valid());
    });
}

// RedMutex reports success.
TEST_CASE(
    "unlike RedMutex, extend() of a red_lock reports a loss and does not extend another holder's keys",
    "[red_lock][peers]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        auto l = co_await red_lock(all, "r", trusting).acquire({.lease = 3s});
        for (unsigned i : {0u, 1u})
            a.node(i).execute({"SET", "r", "somebody else", "PX", "5000"});
        error_code ec;
        co_await l.extend(3s, redirect(ec));
        CHECK(ec == errc::lease_lost);
        CHECK_FALSE(l.valid());
        for (unsigned i : {0u, 1u}) {
            CHECK(a.node(i).execute({"GET", "r"}).text == "somebody else");
            CHECK(a.node(i).execute({"PTTL", "r"}).integer <= 5000);
        }
        co_await l.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        CHECK(a.node(0).execute({"GET", "r"}).text == "somebody else");
    });
}

// RedMutex sends to one server after the other.
TEST_CASE("unlike RedMutex, a red_lock sends its commands to all servers at once", "[red_lock][peers]")
{
    nodes a(5, {.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        {
            auto const first = co_await red_lock(all, "first", trusting).acquire();
        }
        co_await a.sleep(1s);  // the servers have the script of the release then
        auto start = a.now();
        auto l = co_await red_lock(all, "r", trusting).acquire();
        CHECK(a.now() - start == 10ms);  // one round trip
        start = a.now();
        co_await l.release();
        CHECK(a.now() - start == 10ms);
        start = a.now();
        l = co_await red_lock(all, "f", {.fencing = true, .node_timeout = 50ms, .trust_new_nodes = true}).acquire();
        CHECK(a.now() - start == 40ms);  // two, and two more for scripts that were never loaded
    });
}

TEST_CASE(
    "unlike RedMutex, a red_lock blocks neither while it waits nor when its lease is destroyed", "[red_lock][peers]")
{
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await red_lock(ours, "r", trusting).acquire(); });
        int beats = 0;
        for (; beats < 100; ++beats)
            co_await a.sleep(10ms);  // on the same thread
        CHECK(l.empty());
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).pause();
        auto const start = a.now();
        held = {};  // no server replies
        CHECK(a.now() == start);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).resume();
        co_await a.sleep(10s);
        CHECK(l.valid());
    });
}

// ---- clients that end

TEST_CASE(
    "a red_lock acquire survives the destruction of one of three clients right after its start",
    "[red_lock][lifetimes]")
{
    for (std::size_t destroyed = 0; destroyed <= 3; ++destroyed) {
        nodes a(3);
        auto const ours = a.clients();
        a.run([&]() -> awaitable<void> {
            co_await ready(ours);
            error_code ended = errc::busy;
            lease got;
            red_lock(ours, "r", trusting).acquire([&](error_code ec, lease l) {
                ended = ec;
                got = std::move(l);
            });
            for (std::size_t i = 0; i < destroyed; ++i)
                a.destroy(*ours[i]);
            co_await a.sleep(10s);
            CAPTURE(destroyed, ended.message());
            CHECK(got.valid() == (destroyed < 2));
            CHECK(ended == (destroyed < 2 ? error_code() : errc::client_stopped));
        });
    }
}

TEST_CASE("waiting red_lock acquires all complete when clients are destroyed at any moment", "[red_lock][lifetimes]")
{
    for (std::size_t destroyed = 1; destroyed <= 3; ++destroyed)
        for (int ms = 0; ms < 120; ms += 3) {
            nodes a(3);
            auto const ours = a.clients();
            auto const theirs = a.clients("B");
            a.run([&]() -> awaitable<void> {
                auto held = co_await red_lock(theirs, "r", trusting).acquire();
                int waiting = 3;
                for (int i = 0; i < 3; ++i)
                    red_lock(ours, "r", trusting).acquire([&](error_code, lease) { --waiting; });
                co_await a.sleep(std::chrono::milliseconds(ms));
                for (std::size_t i = 0; i < destroyed; ++i)
                    a.destroy(*ours[i]);
                co_await a.sleep(10ms);
                co_await held.release();
                co_await a.sleep(20s);
                CAPTURE(destroyed, ms);
                CHECK(waiting == 0);
                CHECK(a.keys("r") == 0);
            });
        }
}

TEST_CASE("a server that denies INFO does not count towards a majority, and INFO is sent to it only once", "[red_lock]")
{
    int queries = 0;
    nodes a(3);
    for (unsigned i = 0; i < 3; ++i) {
        a.node(i).model().deny_command("info");
        a.node(i).check([&](executed const& e) { queries += e.what.args[0] == "INFO"; });
    }
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        co_await a.sleep(5s);
        error_code ec;
        for (int i = 0; i < 5; ++i) {
            auto l = co_await red_lock(all, "r").try_acquire(redirect(ec));
            CHECK(ec == errc::not_permitted);
            CHECK(all[0]->last_failure().message.find("does not report its start time") != std::string::npos);
        }
        CHECK(queries == 3);
        auto l = co_await red_lock(all, "r", trusting).try_acquire();
        CHECK(l.valid());
    });
}

}  // namespace
}  // namespace holdfast::test
