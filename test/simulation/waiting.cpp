//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Waiting: no wake-up is lost, no message is needed, no waiter wakes up without a cause, and processes take turns.

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/turn_taking.hpp"
#include "simulation/arena.hpp"
#include "simulation/contest.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr auto longest_round_trip =
    2ms + 500us;  // at most, in the simulated network, iterations of the event loop included

TEST_CASE("a waiter acquires the lock within two round trips of the release", "[waiting]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        core::instant got;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mutex(c, "m").acquire();
            got = a.now();
        });
        co_await a.sleep(100ms);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(1s);
        CHECK(got - released <= 2 * longest_round_trip);
    });
}

TEST_CASE("a waiter that arrives during a try_acquire of its process receives the unlock message", "[waiting]")
{
    auto const delay = GENERATE(range(0, 24)) * 250us;
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        co_await c.ready();
        core::instant granted;
        a.spawn([&]() -> awaitable<void> { auto refused = co_await mutex(c, "m").try_acquire(); });
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(delay);
            auto l = co_await mutex(c, "m").acquire();
            granted = a.now();
        });
        co_await a.sleep(100ms);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(2s);
        CHECK(granted - released <= 100ms);  // by the message, not by the next re-check
    });
}

TEST_CASE("with every push dropped, a waiter acquires the lock within the poll interval", "[waiting]")
{
    arena a({.world = {.fifo = true}, .faults = {.drop_push = 1}});
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        core::instant got;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mutex(c, "m").acquire();
            got = a.now();
        });
        co_await a.sleep(100ms);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(3s);
        CHECK(got - released <= 1s + 51ms + 2 * longest_round_trip);
    });
}

TEST_CASE("a waiter acquires the lock when the key of a dead holder expires", "[waiting]")
{
    arena a;
    auto& c = a.client();
    a.client("B");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().execute({"SET", "m", "somebody", "PX", "700"});
        auto const start = a.now();
        auto l = co_await mutex(c, "m").acquire();
        CHECK(a.now() - start >= 700ms);
        CHECK(a.now() - start <= 700ms + 51ms + 2 * longest_round_trip);
    });
}

TEST_CASE("a waiter that receives an unlock message sends an attempt without a probe", "[waiting]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    auto& e = a.client("C");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        auto const wait = [&](holdfast::client& from, std::string_view where) {
            a.spawn(
                [&a, &from, where]() -> awaitable<void> {
                    auto l = co_await mutex(from, "m").acquire();
                    co_await a.sleep(50ms, where);
                },
                where);
        };
        wait(c, "A");
        wait(e, "C");
        co_await a.sleep(50ms);
        a.commands();
        co_await held.release();
        co_await a.sleep(20ms);
        auto const sent = a.commands();
        CHECK(std::ranges::count(sent, std::string("SET")) == 2);
        CHECK(std::ranges::count(sent, std::string("PTTL")) == 0);
        co_await a.sleep(20ms);
        CHECK(a.commands().empty());
        co_await a.sleep(2s);
    });
}

TEST_CASE("a waiter that loses the race after a message acquires the lock when the new grant expires", "[waiting]")
{
    auto const lease_time = GENERATE(std::chrono::milliseconds(150), std::chrono::milliseconds(700));
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "m", "somebody", "PX", "60000"});
        core::instant got;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mutex(c, "m").acquire();
            got = a.now();
        });
        co_await a.sleep(50ms);
        auto const start = a.now();
        a.server().execute({"SET", "m", "another", "PX", std::to_string(lease_time / 1ms)});
        a.server().execute({"PUBLISH", "redisson_lock__channel:{m}", "0"});
        co_await a.sleep(2s);
        CHECK(got - start >= lease_time);
        CHECK(got - start <= lease_time + 51ms + 2 * longest_round_trip);
    });
}

TEST_CASE("a thousand waiters of one client cost the server as many commands as one waiter", "[waiting]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        co_await c.ready();
        a.commands();
        unsigned served = 0;
        for (int i = 0; i < 1'000; ++i)
            a.spawn([&]() -> awaitable<void> {
                auto l = co_await mutex(c, "m").acquire();
                ++served;
            });
        co_await a.sleep(500ms);
        CHECK(a.commands().size() <= 8);  // SET, SUBSCRIBE, PING, PTTL, TYPE, SET
        co_await held.release();
        co_await a.sleep(2s);
        CHECK(served == 1'000);
    });
    CHECK(c.stats().handed_off >= 900);
}

TEST_CASE("waiters of one process are served in order of arrival", "[waiting]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        std::vector<int> order;
        for (int i = 0; i < 50; ++i)
            a.spawn([&, i]() -> awaitable<void> {
                auto l = co_await mutex(c, "m").acquire();
                order.push_back(i);
                co_await a.sleep(1ms);
            });
        co_await a.sleep(5s);
        REQUIRE(order.size() == 50);
        CHECK(std::ranges::is_sorted(order));
    });
}

TEST_CASE("a subscription is kept for a while after its last use and then ends", "[waiting]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        for (int i = 0; i < 3; ++i) {
            a.server().execute({"SET", "m", "somebody", "PX", "50"});
            auto l = co_await mutex(c, "m").acquire();
        }
        auto const sent = a.commands();
        CHECK(std::ranges::count(sent, std::string("SUBSCRIBE")) == 1);
        co_await a.sleep(2s);
        CHECK(std::ranges::count(a.commands(), std::string("UNSUBSCRIBE")) == 1);
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE("a subscription whose last waiter leaves during an outage ends without a command", "[waiting]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        // They leave one by one, some of them just after an attempt to connect.
        for (int i = 0; i < 60; ++i) {
            auto const name = "l" + std::to_string(i);
            a.server().execute({"SET", name, "somebody", "PX", "600000"});
            a.spawn([&, i, name]() -> awaitable<void> {
                error_code ec;
                auto const wait = std::chrono::milliseconds(10'000 + 250 * i);
                co_await mutex(c, name).try_acquire({.wait = wait}, asio::redirect_error(use_awaitable, ec));
            });
        }
        co_await a.sleep(1s);
        CHECK(a.census(c).channels == 60);
        a.server().faults.refuse_connect = 1;
        a.server().model().disconnect_all();
        co_await a.sleep(30s);
        CHECK(a.census(c).channels == 0);
        a.server().faults = {};
        co_await a.sleep(5s);
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE("waiters poll when the server refuses subscriptions, and the client logs this once", "[waiting]")
{
    arena a;
    a.server().model().deny_channels(true);
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        unsigned served = 0;
        bool inside = false;
        for (int i = 0; i < 200; ++i)
            a.spawn([&, i]() -> awaitable<void> {
                auto l = co_await mutex(c, "m" + std::to_string(i % 10)).acquire();
                if (i % 10 == 0) {
                    CHECK_FALSE(inside);
                    inside = true;
                    co_await a.sleep(1ms);
                    inside = false;
                }
                ++served;
            });
        a.server().execute({"SET", "m3", "somebody", "PX", "300"});
        co_await a.sleep(10s);
        CHECK(served == 200);
        auto const lines = std::ranges::count_if(
            a.log(), [](auto const& line) { return line.find("poll") != std::string::npos; });
        CHECK(lines == 1);
    });
}

TEST_CASE("two processes that hand off grants locally never hold the lock together", "[waiting][yield]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto const result = run_contest(
            {.seed = seed,
             .contenders = 20,
             .rounds = 50,
             .locks = 1,
             .kind = contested_kind::mutex,
             .longest_hold = 100us});
        REQUIRE_FALSE(result.fault);
        CHECK(result.handed_off > 0);
    }
}

TEST_CASE("each of two busy processes gets 40 to 60 percent of the grants", "[waiting][yield]")
{
    for (auto kind : {0, 1}) {
        arena a;
        auto& c = a.client();
        auto& d = a.client("B");
        unsigned grants[2] = {0, 0};
        bool stop = false;
        auto const contend = [&](holdfast::client& from, std::string_view where, unsigned& count) -> awaitable<void> {
            auto const me = from.make_owner();
            while (!stop) {
                if (kind == 0) {
                    auto l = co_await mutex(from, "m").acquire();
                    co_await a.sleep(50us, where);
                    ++count;
                } else {
                    auto l = co_await reentrant_lock(from, "m", me, {.fencing = true}).acquire();
                    co_await a.sleep(50us, where);
                    ++count;
                }
            }
        };
        for (int i = 0; i < 20; ++i) {
            a.spawn([&]() { return contend(c, "A", grants[0]); });
            a.spawn([&]() { return contend(d, "B", grants[1]); }, "B");
        }
        a.world().run_for(20s);
        auto const share = 100 * grants[0] / (grants[0] + grants[1]);
        CAPTURE(kind, grants[0], grants[1]);
        CHECK(share >= 40);
        CHECK(share <= 60);
        stop = true;
        a.world().run_for(5s);
    }
}

// The other process is paused, so it does not acquire the lock; the stall increases the measured round-trip time.
TEST_CASE(
    "after a stall a client does not wait too long for another process that received the message", "[waiting][yield]")
{
    arena a;
    auto config = arena::quick();
    config.lease = 60s;
    config.command_timeout = 10s;
    config.local_handoff.max_count = 0;
    auto& c = a.client("A", config);
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        a.spawn([&]() -> awaitable<void> { auto l = co_await mutex(d, "m").acquire(); }, "B");
        core::instant granted;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mutex(c, "m").acquire();
            granted = a.now();
        });
        co_await a.sleep(100ms);
        a.at("B").pause_for(30s);
        a.server().pause_for(2500ms);
        for (int i = 0; i < 50; ++i)
            a.spawn([&, i]() -> awaitable<void> { auto l = co_await mutex(c, "n" + std::to_string(i)).acquire(); });
        co_await a.sleep(3s);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(60s);
        CHECK(granted - released <= core::longest_yield + 2 * longest_round_trip);
    });
}

TEST_CASE("forged messages lead to at most one attempt per millisecond", "[waiting]")
{
    constexpr auto channel = "redisson_lock__channel:{m}";
    arena a({.world = {.fifo = true}, .network = {.delay = {10us, 20us}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "m", "somebody", "PX", "600000"});
        core::instant granted;
        a.spawn([&]() -> awaitable<void> {
            auto l = co_await mutex(c, "m").acquire();
            granted = a.now();
        });
        co_await a.sleep(100ms);
        a.commands();
        for (auto const end = a.now() + 1s; a.now() < end; co_await a.sleep(40us))
            a.server().execute({"PUBLISH", channel, "0"});
        auto const tries = std::ranges::count(a.commands(), std::string("SET"));
        CHECK(tries <= 1'000 + core::message_pace::burst);
        CHECK(tries >= 500);

        co_await a.sleep(50ms);
        auto const released = a.now();
        a.server().execute({"DEL", "m"});
        a.server().execute({"PUBLISH", channel, "0"});
        co_await a.sleep(100ms);
        CHECK(granted - released <= 100us);
    });
}

TEST_CASE(
    "the client hands off no fenced grant, no lease without renewal, and none if the budget is zero",
    "[waiting][handoff]")
{
    auto const handed_off = [](bool fencing, std::optional<std::chrono::milliseconds> lease_time, unsigned budget) {
        arena a;
        auto config = arena::quick();
        config.local_handoff.max_count = budget;
        auto& c = a.client("A", config);
        a.run([&]() -> awaitable<void> {
            unsigned served = 0;
            for (int i = 0; i < 10; ++i)
                a.spawn([&]() -> awaitable<void> {
                    auto l = co_await mutex(c, "m", {.fencing = fencing}).acquire({.lease = lease_time});
                    ++served;
                });
            co_await a.sleep(5s);
            CHECK(served == 10);
        });
        return c.stats().handed_off;
    };
    CHECK(handed_off(false, std::nullopt, 32) == 9);
    CHECK(handed_off(true, std::nullopt, 32) == 0);
    CHECK(handed_off(false, 500ms, 32) == 0);
    CHECK(handed_off(false, std::nullopt, 0) == 0);
}

TEST_CASE("the client does not hand off a grant that is at risk", "[waiting][handoff]")
{
    arena a;
    auto config = arena::quick();
    config.local_handoff.max_time = 1h;
    auto& c = a.client("A", config);
    a.run([&]() -> awaitable<void> {
        auto l = co_await mutex(c, "m").acquire();
        bool served = false;
        a.spawn([&]() -> awaitable<void> {
            auto next = co_await mutex(c, "m").acquire();
            served = true;
        });
        co_await a.sleep(100ms);
        a.server().pause();
        co_await a.sleep(1900ms);
        REQUIRE(l.state() == lease_state::at_risk);
        {
            auto const destroyed = std::move(l);
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(served);
        a.server().resume();
        co_await a.sleep(5s);
        CHECK(served);
    });
    CHECK(c.stats().handed_off == 0);
}

}  // namespace
}  // namespace holdfast::test
