//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One lock over several servers: a majority is needed and enough, an attempt without it is undone, nothing is left.

#include <bit>

#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

enum class outage { paused, refused, slow, failing };

void strike(simulated_server& s, outage o)
{
    switch (o) {
        case outage::paused: s.pause(); break;
        case outage::refused:
            s.faults.refuse_connect = 1;
            s.model().disconnect_all();
            break;
        case outage::slow: s.network.delay = {300ms, 300ms}; break;
        case outage::failing: s.model().set_condition(simulated::condition::disk_error); break;
    }
}

void heal(simulated_server& s)
{
    s.resume();
    s.faults = {};
    s.network = {};
    s.model().set_condition(simulated::condition::normal);
}

TEST_CASE("with any subset of five servers failing, a red_lock is granted exactly when a majority works", "[red_lock]")
{
    for (auto const how : {outage::paused, outage::refused, outage::slow, outage::failing})
        for (unsigned mask = 0; mask < 32; ++mask) {
            nodes a(5);
            auto const all = a.clients();
            a.run([&]() -> awaitable<void> {
                co_await ready(all);
                for (unsigned i = 0; i < 5; ++i)
                    if ((mask >> i & 1) != 0)
                        strike(a.server(server_of(i)), how);
                red_lock lock(all, "r", trusting);
                auto const start = a.now();
                error_code ec;
                auto l = co_await lock.try_acquire(redirect(ec));
                auto const took = a.now() - start;
                bool const has_majority = std::popcount(mask) <= 2;
                CAPTURE(int(how), mask, ec.message());
                CHECK(l.valid() == has_majority);
                bool const says_so = ec == errc::no_quorum || (how == outage::failing && ec == errc::server_refused);
                CHECK(says_so == !has_majority);
                CHECK(took <= 15ms + 10ms);  // node_timeout of this lease, and a round
                if (l.empty())
                    l = co_await lock.try_acquire({.wait = 200ms}, redirect(ec));
                CHECK(a.now() - start <= 15ms + 10ms + 201ms);
                if (!l.empty())
                    co_await l.release(redirect(ec));
                co_await a.sleep(1ms);
                for (unsigned i = 0; i < 5; ++i)
                    heal(a.server(server_of(i)));
                co_await a.sleep(10s);
                CHECK(a.keys("r") == 0);
                l = co_await lock.acquire();
                co_await a.sleep(1ms);
                CHECK(a.keys("r") == 5);
            });
        }
}

TEST_CASE(
    "a red_lock acquire without a majority does not spin, and succeeds when a majority is available again",
    "[red_lock]")
{
    unsigned commands = 0;
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        a.server("n0").pause();
        a.server("n1").pause();
        a.server("n2").check([&](executed const& e) { commands += !e.what.in_script; });
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await red_lock(all, "r", trusting).acquire(); });
        co_await a.sleep(20s);
        CHECK(l.empty());
        CHECK(commands < 120);
        a.server("n0").resume();
        co_await a.sleep(5s);
        CHECK(l.valid());
        a.server("n1").resume();
    });
}

TEST_CASE("a waiting red_lock acquire completes within 30 ms of the release by the holder", "[red_lock][waiting]")
{
    nodes a(5);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        CHECK(held.valid());
        lease l;
        core::instant got;
        a.spawn([&]() -> awaitable<void> {
            l = co_await red_lock(ours, "r", trusting).acquire();
            got = a.now();
        });
        co_await a.sleep(5s);
        CHECK(l.empty());
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(3s);
        CHECK(l.valid());
        CHECK(got - released < 30ms);  // by a message, and the round that follows
    });
}

TEST_CASE("try_acquire of a held red_lock completes as busy although one server is silent", "[red_lock]")
{
    nodes a(5);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        a.server("n0").pause();
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        error_code ec;
        auto l = co_await red_lock(ours, "r", trusting).try_acquire(redirect(ec));
        CHECK_FALSE(ec);
        CHECK(l.empty());
        l = co_await red_lock(ours, "r", trusting).try_acquire({.wait = 500ms}, redirect(ec));
        CHECK_FALSE(ec);
        CHECK(l.empty());
        CHECK(held.valid());
        a.server("n0").resume();
    });
}

TEST_CASE("a red_lock lease survives the loss of a minority and is lost with the majority", "[red_lock][loss]")
{
    nodes a(5);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        auto l = co_await red_lock(all, "r", {.max_lease = 10s, .trust_new_nodes = true}).acquire();
        co_await a.sleep(100ms);
        a.server("n1").execute({"SET", "r", "somebody else", "PX", "60000"});
        a.server("n3").pause();
        co_await a.sleep(20s);
        CHECK(l.valid());
        CHECK(l.state() == lease_state::held);
        CHECK(a.server("n1").execute({"GET", "r"}).text == "somebody else");
        co_await l.extend(10s);
        auto const still = l.valid();
        CHECK(still);
        a.server("n4").execute({"DEL", "r"});
        co_await l.lost();
        CHECK_FALSE(l.valid());
        error_code ec;
        co_await l.extend(5s, redirect(ec));
        CHECK(ec == errc::lease_lost);
        co_await l.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
        a.server("n3").resume();
        co_await a.sleep(5s);
        CHECK(a.keys("r") == 1);
    });
}

TEST_CASE("a red_lock release succeeds when a majority confirms it and is unavailable otherwise", "[red_lock]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        auto l = co_await red_lock(all, "r", trusting).acquire();
        CHECK_FALSE(l.fencing_token());
        a.server("n2").pause();
        error_code ec;
        co_await l.release(redirect(ec));
        CHECK_FALSE(ec);
        l = co_await red_lock(all, "r", trusting).acquire();
        CHECK(l.valid());
        a.server("n1").pause();
        co_await l.release(redirect(ec));
        CHECK(ec == errc::unavailable);
        a.server("n1").resume();
        a.server("n2").resume();
        co_await a.sleep(5s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("a restarted server does not count towards a majority until max_lease has passed", "[red_lock]")
{
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        red_lock mine(ours, "r");
        auto const ec = co_await error_of(mine.try_acquire(use_awaitable));
        CHECK(ec == errc::no_quorum);  // all have just started
        co_await a.sleep(6s);          // max_lease is the lease of the clients: 3 s

        auto held = co_await red_lock(theirs, "r").acquire();
        CHECK(held.valid());
        // Two of three servers lose their data: the lock could be granted twice.
        a.server("n0").restart(true);
        a.server("n1").restart(true);
        co_await a.sleep(500ms);
        auto const still = co_await error_of(mine.try_acquire(use_awaitable));
        CHECK(still == errc::no_quorum);
    });
}

TEST_CASE("a server that restarted without its data allows a second holder only with trust_new_nodes", "[red_lock]")
{
    for (bool const trusts : {false, true}) {
        nodes a(3);
        auto const ours = a.clients();
        auto const theirs = a.clients("B");
        a.run([&]() -> awaitable<void> {
            co_await a.sleep(6s);
            a.server("n2").pause();
            auto held = co_await red_lock(theirs, "r").acquire({.lease = 3s});
            CHECK(held.valid());
            co_await a.sleep(20ms);  // longer than node_timeout: it cannot join any more
            a.server("n2").resume();
            co_await a.sleep(1ms);
            a.server("n0").restart(true);
            co_await a.sleep(1500ms);
            error_code ec;
            auto l = co_await red_lock(ours, "r", {.trust_new_nodes = trusts}).try_acquire(redirect(ec));
            bool const both = l.valid() && held.valid();
            CHECK(both == trusts);  // only the rule for new servers prevents it
        });
    }
}

TEST_CASE("red_lock contenders of one process queue, and only the first one sends commands", "[red_lock]")
{
    unsigned commands = 0;
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        std::vector<int> order;
        a.server("n0").check([&](executed const& e) { commands += !e.what.in_script; });
        for (int i = 0; i < 100; ++i)
            a.spawn([&, i]() -> awaitable<void> {
                auto l = co_await red_lock(ours, "r", trusting).acquire();
                order.push_back(i);
            });
        co_await a.sleep(2s);
        CHECK(commands < 150);
        CHECK(order.empty());
        error_code ec;
        auto l = co_await red_lock(ours, "r", trusting).try_acquire({.wait = 100ms}, redirect(ec));
        CHECK_FALSE(ec);
        CHECK(l.empty());
        co_await held.release();
        co_await a.sleep(20s);
        CHECK(order.size() == 100);
        CHECK(std::ranges::is_sorted(order));
    });
}

TEST_CASE(
    "a red_lock accepts members of any kind, names invalid input and logs an even number of servers",
    "[red_lock][bad_input]")
{
    nodes a(4);
    auto const all = a.clients();
    // Outside of the coroutine: GCC 12 cannot keep an initializer_list in its frame.
    red_lock const one({*all[0]}, "r");
    red_lock const twice({*all[0], *all[1], *all[0]}, "r");
    red_lock const three({*all[0], *all[1], *all[2]}, "r");
    red_lock const slow({*all[0], *all[1], *all[2]}, "r", {.node_timeout = 50ms});
    red_lock const hasty({*all[0], *all[1], *all[2]}, "r", {.node_timeout = 0ms});
    auto& first = const_cast<client&>(*all[0]);
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        std::vector<any_lock> members;
        for (unsigned i = 0; i < 3; ++i)
            members.emplace_back(reentrant_lock(*all[i], "r", all[i]->make_owner()));
        auto l = co_await red_lock(members, trusting).acquire();
        CHECK(l.valid());
        CHECK(l.name() == "r");
        CHECK(a.server("n0").execute({"TYPE", "r"}).text == "hash");
        co_await l.release();

        auto const error_about = [&](red_lock const& r, acquire_options o = {}) -> awaitable<std::string> {
            auto const ec = co_await error_of(r.acquire(o, use_awaitable));
            CHECK(ec == errc::invalid_option);
            co_return first.last_failure().message;
        };
        auto const has = [](std::string const& said, char const* what) { return said.find(what) != said.npos; };
        co_await error_about(red_lock(std::vector<any_lock>()));
        auto said = co_await error_about(one);
        CHECK(has(said, "2 to 31"));
        said = co_await error_about(twice);
        CHECK(has(said, "one client"));
        said = co_await error_about(three, {.lease = 3001ms});
        CHECK(has(said, "max_lease"));
        said = co_await error_about(slow, {.lease = 100ms});
        CHECK(has(said, "node_timeout"));
        said = co_await error_about(hasty);
        CHECK(has(said, "node_timeout"));
        CHECK(std::ranges::none_of(a.log(), [&](auto const& line) { return has(line, "tolerate no more"); }));
        l = co_await red_lock(all, "even", trusting).acquire();
        CHECK(l.valid());
        CHECK(std::ranges::any_of(
            a.log(), [&](auto const& line) { return has(line, "tolerate no more failures than 3"); }));
    });
}

TEST_CASE("a red_lock works with one of three clients stopped and completes as client_stopped with two", "[red_lock]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        const_cast<client*>(all[0])->stop();
        co_await a.sleep(1ms);
        auto l = co_await red_lock(all, "r", trusting).acquire();
        CHECK(l.valid());
        co_await a.sleep(10s);
        CHECK(l.valid());
        co_await l.release();
        const_cast<client*>(all[1])->stop();
        co_await a.sleep(1ms);
        auto const ec = co_await error_of(red_lock(all, "r", trusting).acquire(use_awaitable));
        CHECK(ec == errc::client_stopped);
    });
}

TEST_CASE(
    "a waiting red_lock acquire continues during the shutdown of its first client, without spinning", "[red_lock]")
{
    nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await red_lock(theirs, "r", trusting).acquire();
        auto own = co_await mutex(*ours[0], "own").acquire();  // keeps the shutdown waiting
        lease l;
        a.spawn([&]() -> awaitable<void> { l = co_await red_lock(ours, "r", trusting).acquire(); });
        co_await a.sleep(1s);
        auto const steps = a.world().steps();
        const_cast<client*>(ours[0])->shutdown({.grace = 60s}, asio::detached);
        co_await a.sleep(5s);
        CHECK(a.world().steps() - steps < 3'000);  // it does not spin
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(l.valid());
    });
}

}  // namespace
}  // namespace holdfast::test
