//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The lease of a red_lock is repaired while it is held: servers that restarted, or that were silent or busy in the round,
// join it when they count. A lease that is lost stays lost.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/contest.hpp"
#include "simulation/red_contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// How long after its restart a server counts, and the lease has been repaired: max_lease is the lease of the clients,
// 3 s, and up to a second of the uptime is not certain.
constexpr auto until_repaired = 7s;

struct repair_nodes : nodes {
    explicit repair_nodes(unsigned n) : nodes(n, {.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) {}

    // On how many servers the lock is held by a client of that list, each at its own server.
    unsigned held_by(std::vector<holdfast::client const*> const& all)
    {
        unsigned held = 0;
        for (unsigned i = 0; i < count; ++i)
            held += is_held_by(*all[i], i);
        return held;
    }

    bool is_held_by(holdfast::client const& c, unsigned i)
    {
        auto const& id = detail::client_access::state_of(const_cast<holdfast::client&>(c)).id();
        return node(i).execute({"GET", "r"}).text.starts_with(std::string(id));
    }

    void check_idle(std::vector<holdfast::client const*> const& all)
    {
        for (auto const* c : all)
            CHECK(census(const_cast<holdfast::client&>(*c)) == engine::client_engine::census{});
    }
};

using client_list = std::vector<holdfast::client const*>;

// ---- restarts

TEST_CASE("a red_lock lease survives restarts of all servers, one by one, although others contend", "[red_lock][loss]")
{
    for (unsigned const count : {3u, 5u}) {
        repair_nodes a(count);
        auto const ours = a.clients();
        auto const theirs = a.clients("B");
        a.run([&]() -> awaitable<void> {
            co_await a.sleep(6s);
            auto l = co_await red_lock(ours, "r").acquire();
            int losses = 0;
            l.lost([&](error_code ec, loss) { losses += !ec; });
            bool are_two = false;
            lease other;
            a.spawn([&]() -> awaitable<void> {
                other = co_await red_lock(theirs, "r").acquire();
                are_two = l.valid();
            });
            for (unsigned i = 0; i < 2 * count; ++i) {
                CAPTURE(count, i);
                a.node(i % count).restart(true);
                co_await a.sleep(until_repaired);
                CHECK(a.held_by(ours) == count);
                CHECK(l.state() == lease_state::held);
            }
            CHECK(losses == 0);
            CHECK(other.empty());
            co_await l.release();
            co_await a.sleep(3s);
            CHECK(other.valid());
            CHECK_FALSE(are_two);
            co_await other.release();
            co_await a.sleep(1s);
            CHECK(a.keys("r") == 0);
            a.check_idle(ours);
        });
    }
}

// The contenders hold the free server most of the time.
TEST_CASE("a red_lock lease is repaired although other clients make attempts all the time", "[red_lock]")
{
    repair_nodes a(5);
    auto const ours = a.clients();
    std::vector<client_list> others;
    for (auto const* name : {"B", "C", "D"})
        others.push_back(a.clients(name));
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        auto l = co_await red_lock(ours, "r").acquire();
        bool is_over = false;
        int granted = 0;
        for (auto const& theirs : others)
            a.spawn([&]() -> awaitable<void> {
                while (!is_over) {
                    error_code ec;
                    auto const got = co_await red_lock(theirs, "r").try_acquire(redirect(ec));
                    granted += got.valid() && l.valid();
                    co_await a.sleep(a.world().chance().between(0ms, 10ms));
                }
            });
        for (unsigned i = 0; i < 5; ++i) {
            a.node(i).restart(true);
            co_await a.sleep(until_repaired + 3s);
            CHECK(a.held_by(ours) == 5);
        }
        CHECK(l.state() == lease_state::held);
        CHECK(granted == 0);
        is_over = true;
        co_await l.release();
        co_await a.sleep(3s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("a red_lock lease asks a restarted server only when that counts", "[red_lock]")
{
    repair_nodes a(3);
    auto const ours = a.clients();
    auto asked = core::never;
    a.node(0).check([&](executed const& e) {
        if (e.what.args[0] == "SET")
            asked = std::min(asked, a.now());
    });
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        auto l = co_await red_lock(ours, "r").acquire();
        auto const restarted = a.now();
        a.node(0).restart(true);
        asked = core::never;
        co_await a.sleep(until_repaired);
        CHECK(asked - restarted >= core::duration(3s + core::drift(3s)));
        CHECK(asked - restarted <= core::duration(6s));
        CHECK(a.held_by(ours) == 3);
        CHECK(l.state() == lease_state::held);
    });
}

// It restarts again between the attempt and the grant: the grant is that of a younger server.
TEST_CASE("a red_lock lease is not joined by a server that restarts while it is asked", "[red_lock]")
{
    repair_nodes a(3);
    auto const ours = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        auto l = co_await red_lock(ours, "r").acquire();
        co_await a.sleep(100ms);
        a.node(0).execute({"SET", "r", "somebody else", "PX", "20000"});
        co_await a.sleep(3s);  // the client waits there
        a.node(0).restart(true);
        co_await a.sleep(2s);
        CHECK_FALSE(a.exists("r", "n0"));  // granted, and released
        CHECK(l.state() == lease_state::held);
        a.node(1).execute({"DEL", "r"});
        co_await l.lost();
        CHECK_FALSE(l.valid());
    });
}

TEST_CASE("a key of another holder on a restarted server neither ends a red_lock lease nor is touched", "[red_lock]")
{
    repair_nodes a(3);
    auto const ours = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        auto l = co_await red_lock(ours, "r").acquire();
        a.node(0).restart(true);
        a.node(0).execute({"SET", "r", "somebody else", "PX", "12000"});
        co_await a.sleep(11s);
        CHECK(a.node(0).execute({"GET", "r"}).text == "somebody else");
        CHECK(l.state() == lease_state::held);
        co_await a.sleep(3s);
        CHECK(a.held_by(ours) == 3);
        a.node(0).execute({"SET", "r", "somebody else", "PX", "60000"});
        co_await a.sleep(3s);
        co_await l.release();
        co_await a.sleep(100ms);
        CHECK(a.census(const_cast<client&>(*ours[0])).arbiters == 0);
        CHECK(a.node(0).execute({"GET", "r"}).text == "somebody else");
        CHECK(a.keys("r") == 1);
        co_await a.sleep(2s);  // subscriptions end later
        a.check_idle(ours);
    });
}

TEST_CASE("a server that was away in the round of a red_lock joins the lease later", "[red_lock]")
{
    repair_nodes a(5);
    auto const ours = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(6s);
        a.node(3).shut_down();
        a.node(4).pause();
        a.node(0).execute({"SET", "s", "somebody else", "PX", "500"});
        auto l = co_await red_lock(ours, "r").acquire();
        CHECK(a.held_by(ours) == 3);
        co_await a.sleep(5s);
        a.node(3).restart(true);
        a.node(4).resume();
        co_await a.sleep(until_repaired);
        CHECK(a.held_by(ours) == 5);
        for (unsigned i : {0u, 1u})
            a.node(i).execute({"DEL", "r"});
        co_await a.sleep(500ms);
        CHECK(l.valid());
    });
}

TEST_CASE(
    "a red_lock lease is repaired with fencing, with reentrant members and in a multi_lock", "[red_lock][fencing]")
{
    for (int const kind : {0, 1, 2}) {
        repair_nodes a(3);
        auto const ours = a.clients();
        std::vector<any_lock> members;
        for (auto const* c : ours)
            members.emplace_back(reentrant_lock(*c, "r", const_cast<client*>(c)->make_owner()));
        red_lock const fenced_lock(ours, "r", {.fencing = true, .trust_new_nodes = true});
        any_lock const lock = kind == 0   ? any_lock(fenced_lock)
                              : kind == 1 ? any_lock(red_lock(members, trusting))
                                          : any_lock(multi_lock(red_lock(ours, "r", trusting), mutex(*ours[2], "m")));
        a.run([&]() -> awaitable<void> {
            co_await ready(ours);
            auto l = co_await lock.acquire();
            auto const fence = l.fencing_token();
            CHECK(fence.has_value() == (kind == 0));
            for (unsigned i : {0u, 1u, 0u}) {
                a.node(i).restart(true);
                co_await a.sleep(4s);
                CAPTURE(kind, i);
                CHECK(a.keys("r") == 3);
                CHECK(l.state() == lease_state::held);
                CHECK(l.fencing_token() == fence);
            }
            co_await l.release();
            co_await a.sleep(100ms);
            CHECK(a.keys("r") == 0);
            l = co_await lock.acquire();
            if (kind == 0)
                CHECK(l.fencing_token() > fence);
        });
    }
}

TEST_CASE("a red_lock lease is repaired after the client is stopped that did it", "[red_lock]")
{
    for (bool const destroyed : {false, true}) {
        repair_nodes a(5);
        auto const ours = a.clients();
        a.run([&]() -> awaitable<void> {
            co_await ready(ours);
            auto l = co_await red_lock(ours, "r", trusting).acquire();
            co_await a.sleep(700ms);
            if (destroyed)
                a.destroy(*ours[0]);
            else
                const_cast<client*>(ours[0])->stop();
            co_await a.sleep(1s);
            a.node(1).execute({"DEL", "r"});
            co_await a.sleep(4s);
            CHECK(a.is_held_by(*ours[1], 1));
            CHECK(l.state() == lease_state::held);
            for (std::size_t i = 1; i < 5; ++i)
                const_cast<client*>(ours[i])->stop();
            co_await a.sleep(1s);
            CHECK_FALSE(l.valid());
        });
    }
}

// ---- the end of a lease

TEST_CASE("a red_lock lease that has lost its majority is not repaired, and lost() completes once", "[red_lock][loss]")
{
    repair_nodes a(5);
    auto const ours = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(ours);
        auto l = co_await red_lock(ours, "r", trusting).acquire();
        int losses = 0;
        l.lost([&](error_code ec, loss) { losses += !ec; });
        for (unsigned i : {0u, 1u, 2u, 3u}) {
            a.node(i).execute({"DEL", "r"});
            co_await a.sleep(4s);
        }
        CHECK(a.held_by(ours) == 5);
        CHECK(losses == 0);
        for (unsigned i : {0u, 3u, 4u})
            a.node(i).execute({"DEL", "r"});
        co_await a.sleep(2s);
        CHECK_FALSE(l.valid());
        CHECK(losses == 1);
        co_await a.sleep(10s);
        CHECK_FALSE(l.valid());
        CHECK(a.keys("r") == 2);
        CHECK(losses == 1);
        l = {};
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
        a.check_idle(ours);
    });
}

// The clients renew at different times, so they learn of the deleted keys one by one. That of the first one sets the pace of
// the repair: it looks at the members every 100 ms.
TEST_CASE("a forced release ends the lease of a red_lock, at whatever moment", "[red_lock][force_release]")
{
    for (unsigned const count : {2u, 3u, 4u, 5u})
        for (auto phase = 0ms; phase < 1100ms; phase += 37ms) {
            CAPTURE(count, phase / 1ms);
            repair_nodes a(count);
            client_list ours;
            for (unsigned i = 0; i < count; ++i) {
                auto c = arena::quick();
                c.lease = i == 0 ? 600ms : 3s - i * 300ms;
                ours.push_back(&a.client("A", c, server_of(i)));
            }
            auto const theirs = a.clients("B");
            a.run([&]() -> awaitable<void> {
                co_await ready(ours);
                auto l = co_await red_lock(ours, "r", {.max_lease = 3s, .trust_new_nodes = true}).acquire();
                co_await a.sleep(2s + phase);
                CHECK(l.state() == lease_state::held);
                co_await red_lock(theirs, "r", trusting).force_release();
                co_await a.sleep(4s);
                CHECK_FALSE(l.valid());
                error_code ec;
                co_await l.release(redirect(ec));
                co_await a.sleep(100ms);
                CHECK(a.keys("r") == 0);
            });
        }
}

TEST_CASE("a red_lock lease with a fixed time is not repaired, and max_hold ends a repaired one", "[red_lock]")
{
    repair_nodes a(3);
    auto const ours = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(ours);
        auto l = co_await red_lock(ours, "r", trusting).acquire({.lease = 3s});
        co_await a.sleep(10ms);
        a.node(0).execute({"DEL", "r"});
        for (int i = 0; i < 2; ++i) {  // the first one learns of the loss
            co_await l.extend(3s);
            co_await a.sleep(1s);
        }
        CHECK(a.keys("r") == 2);
        CHECK(l.valid());
        co_await l.release();

        auto const start = a.now();
        l = co_await red_lock(ours, "r", trusting).acquire({.max_hold = 20s});
        loss why{};
        auto end = core::never;
        l.lost([&](error_code, loss reason) {
            why = reason;
            end = a.now();
        });
        for (unsigned i : {0u, 1u, 2u}) {
            a.node(i).execute({"DEL", "r"});
            co_await a.sleep(4s);
            CHECK(a.held_by(ours) == 3);
        }
        co_await a.sleep(10s);
        CHECK(why == loss::max_hold);
        CHECK(end - start <= 20s);
        CHECK(end - start >= 18s);  // the members that joined may have waited for a third of the lease time
    });
}

TEST_CASE("a red_lock lease that is released while a server is asked leaves nothing", "[red_lock]")
{
    for (bool const dropped : {false, true})
        for (auto phase = 0ms; phase < 2500ms; phase += 20ms) {
            CAPTURE(dropped, phase / 1ms);
            repair_nodes a(3);
            auto const ours = a.clients();
            a.run([&]() -> awaitable<void> {
                co_await ready(ours);
                auto l = co_await red_lock(ours, "r", trusting).acquire();
                co_await a.sleep(100ms);
                a.node(0).execute({"DEL", "r"});
                a.node(0).network.delay = {100ms, 100ms};
                co_await a.sleep(phase);
                CHECK(l.valid());
                if (!dropped)
                    co_await l.release();
                l = {};
                co_await a.sleep(1s);
                CHECK(a.keys("r") == 0);
                a.check_idle(ours);
            });
        }
}

TEST_CASE("a red_lock lease is not kept alive by repairs if its handler never runs", "[red_lock]")
{
    repair_nodes a(3);
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> { co_await ready(ours); });
    a.at("X").pause_for(60s);
    lease l;
    red_lock(ours, "r", trusting).acquire(asio::bind_executor(a.at("X").get_executor(), [&](error_code, lease got) {
        l = std::move(got);
    }));
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(100ms);
        a.node(0).execute({"DEL", "r"});
        co_await a.sleep(2s);
        CHECK_FALSE(a.exists("r", "n0"));
        co_await a.sleep(3s);
        auto other = co_await red_lock(theirs, "r", trusting).try_acquire();
        CHECK(other.valid());
    });
}

// ---- contests

// Servers restart one after the other, empty, while contenders hold the lock for longer than a restart takes.
TEST_CASE("rolling restarts never lead to two holders of a red_lock, and lose few leases", "[red_lock][contest]")
{
    unsigned grants = 0;
    unsigned lost = 0;
    for (std::uint64_t seed = 1; seed <= seeds_or(200); ++seed) {
        CAPTURE(seed);
        bool const is_calm = seed % 2 == 0;
        red_contest c(
            {.seed = seed,
             .servers = seed % 4 < 2 ? 5u : 3u,
             .rounds = 2,
             .longest_hold = 60s,
             .longest_pause = 4s,
             .cancel = 0.05,
             .fencing = seed % 3 == 0,
             .restarts = 30,
             .skew = 2s,
             .faults = is_calm ? fault_plan{} : fault_plan{.lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.1},
             .lease = 3s});
        c.run();
        grants += c.grants();
        lost += c.lost();
    }
    WARN(grants << " granted, " << lost << " lost");
    CHECK(lost <= grants / 20 + 3);
}

}  // namespace
}  // namespace holdfast::test
