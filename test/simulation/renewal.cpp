//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Renewals that the server refuses or answers late: the effect on the lease, on the client's other leases, and on the
// connection.

#include <algorithm>
#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/hash_slot.hpp"
#include "sim/redis_model.hpp"
#include "simulation/arena.hpp"
#include "support/all_leases.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using simulated::condition;
using names = std::vector<std::string>;

struct renewal_arena : arena {
    renewal_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}), c(client()) {}

    awaitable<std::vector<lease>> hold(names all)
    {
        co_await c.ready();
        std::vector<lease> held;
        for (auto const& n : all)
            held.push_back(co_await mutex(c, n).acquire());
        commands();
        co_return held;
    }

    // How often the server has executed that command since the last call of commands().
    auto count(std::string const& command) { return std::ranges::count(commands(), command); }

    auto count_lines(std::string_view part) const
    {
        return std::ranges::count_if(log(), [&](auto const& line) { return line.find(part) != line.npos; });
    }

    holdfast::client& c;
};

// "a", "b", ...
names first_names(int count)
{
    names all;
    for (int i = 0; i < count; ++i)
        all.emplace_back(1, static_cast<char>('a' + i));
    return all;
}

TEST_CASE("a renewal that is refused for one key does not affect the other leases of its batch", "[renewal][refused]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(first_names(3));
        a.server().model().deny_key("b");
        auto b = std::move(held[1]);
        held.erase(held.begin() + 1);
        auto const end = validity(b);
        co_await a.sleep(2s);
        CHECK(b.state() == lease_state::at_risk);
        CHECK(b.valid());
        CHECK(are_held(held));
        auto const why = co_await b.lost();
        CHECK(why == loss::expired);
        CHECK(a.now() > end - 100ms);
        CHECK(a.now() <= end);
        co_await a.sleep(10s);
        CHECK(are_held(held));
        CHECK(a.count("CLIENT") == 0);  // no new connection
    });
    CHECK(a.count_lines("lock \"b\"") == 1);
    CHECK(a.count_lines("each is renewed alone") == 1);
}

TEST_CASE("a lease survives a refusal of writes that ends just before it does", "[renewal][refused]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(first_names(2));
        co_await a.sleep(200ms);
        a.server().model().set_condition(condition::disk_error);
        co_await a.sleep(2500ms);
        CHECK(held[0].state() == lease_state::at_risk);
        a.server().model().set_condition(condition::normal);
        co_await a.sleep(5s);
        CHECK(are_held(held));
    });
}

TEST_CASE("the client repeats a temporarily refused renewal in time on the same connection", "[renewal][refused]")
{
    for (auto what :
         {condition::no_replicas, condition::disk_error, condition::busy, condition::loading, condition::stale}) {
        CAPTURE(static_cast<int>(what));
        renewal_arena a;
        a.run([&]() -> awaitable<void> {
            auto held = co_await a.hold(first_names(2));
            a.server().model().set_condition(what);
            co_await a.sleep(2200ms);
            CHECK(held[0].state() == lease_state::at_risk);
            CHECK(held[0].valid());
            a.server().model().set_condition(condition::normal);
            co_await a.sleep(500ms);
            CHECK(are_held(held));
            co_await a.sleep(10s);
            CHECK(are_held(held));
            CHECK(a.count("CLIENT") == 0);
        });
        CHECK(a.count_lines("lock \"") == 2);  // one line each: refused, accepted again
        CHECK(a.count_lines("the server accepts renewals again") == 1);
    }
}

TEST_CASE("a lease whose renewal may not read the key is at risk until it expires", "[renewal][refused]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        auto const by_value = co_await mutex(a.c, "m").acquire();
        auto const by_field = co_await reentrant_lock(a.c, "r", a.c.make_owner()).acquire();
        auto const shared = co_await read_write_lock(a.c, "rw").read().acquire();
        for (auto const* command : {"getrange", "hexists"})
            a.server().model().deny_command(command);
        co_await a.sleep(2s);
        for (auto const* l : {&by_value, &by_field, &shared}) {
            CAPTURE(l->name());
            CHECK(l->state() == lease_state::at_risk);
            CHECK(co_await l->lost() == loss::expired);
        }
    });
    CHECK(a.count_lines("can't run this command") > 0);
}

TEST_CASE("an unanswered extension does not close the connection later", "[renewal][silence]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        reentrant_lock const lock(a.c, "r", a.c.make_owner());
        auto outer = co_await lock.acquire({.lease = 60s});
        a.server().pause_for(600ms);
        error_code ec;
        co_await outer.extend(60s, asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::unavailable);
        co_await a.sleep(20s);
        a.commands();
        auto const inner = co_await lock.acquire({.lease = 3s, .renew = true});
        co_await a.sleep(10s);
        CHECK(inner.state() == lease_state::held);
        CHECK(outer.valid());
        CHECK(a.count("CLIENT") == 0);
    });
}

TEST_CASE("leases whose renewals are always refused expire, and the connection stays open", "[renewal][refused]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(first_names(2));
        a.server().model().set_condition(condition::no_replicas);
        co_await a.sleep(2500ms);
        CHECK(held[0].valid());
        co_await a.sleep(10s);
        CHECK(held[0].state() == lease_state::lost);
        CHECK(held[1].state() == lease_state::lost);
        CHECK(a.count("CLIENT") == 0);
        a.server().model().set_condition(condition::normal);
    });
    CHECK(a.c.stats().lost == 2);
    CHECK(a.count_lines("NOREPLICAS") == 1);
}

TEST_CASE("a lease whose extension is refused stays held and valid", "[renewal][refused]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        auto l = co_await mutex(a.c, "m").acquire({.lease = 2s});
        a.server().model().deny_key("m");
        error_code ec;
        co_await l.extend(10s, asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::not_permitted);
        CHECK(l.state() == lease_state::held);
        CHECK(l.valid());
    });
}

// ---- a server in cluster mode

names ten_locks()
{
    names all;
    for (int i = 0; i < 10; ++i)
        all.push_back("lock " + std::to_string(i));
    return all;
}

TEST_CASE("leases in several hash slots are renewed and released in cluster mode", "[renewal][cluster]")
{
    REQUIRE(core::hash_slot("lock 0") != core::hash_slot("lock 1"));
    renewal_arena a;
    a.server().model().set_cluster_mode(true);
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(ten_locks());
        co_await a.sleep(10s);
        CHECK(are_held(held));
        held.clear();
        co_await a.sleep(100ms);
        for (auto const& n : ten_locks())
            CHECK_FALSE(a.exists(n));
        CHECK(a.count("CLIENT") == 0);
    });
    CHECK(a.c.stats().lost == 0);
    CHECK(a.count_lines("each is renewed alone") == 0);
    CHECK(a.count_lines("each is released alone") == 0);
    CHECK(a.census(a.c) == engine::client_engine::census{});
}

TEST_CASE("leases in several hash slots survive reconnections in cluster mode", "[renewal][cluster]")
{
    renewal_arena a;
    a.server().model().set_cluster_mode(true);
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(ten_locks());
        for (int i = 0; i < 5; ++i) {
            a.server().model().disconnect_all();
            co_await a.sleep(2s);
            CHECK(are_held(held));
        }
    });
    CHECK(a.c.stats().lost == 0);
}

TEST_CASE("a multi_lock over several hash slots is acquired, renewed and released", "[renewal][cluster]")
{
    renewal_arena a;
    a.server().model().set_cluster_mode(true);
    a.run([&]() -> awaitable<void> {
        mutex const first(a.c, "lock 0"), second(a.c, "lock 1");
        auto l = co_await multi_lock(first, second).acquire();
        co_await a.sleep(10s);
        CHECK(l.valid());
        co_await l.release();
        CHECK_FALSE(a.exists("lock 0"));
        CHECK_FALSE(a.exists("lock 1"));
    });
}

// ---- a server that is silent

TEST_CASE(
    "a lease with a short lease time does not close the shared connection in a brief server pause",
    "[renewal][silence]")
{
    for (auto silent : {80ms, 120ms, 400ms, 900ms}) {
        CAPTURE(silent);
        renewal_arena a;
        a.run([&]() -> awaitable<void> {
            auto held = co_await a.hold(first_names(1));
            auto brief = co_await mutex(a.c, "brief").acquire({.lease = 150ms, .renew = true});
            co_await a.sleep(200ms);
            CHECK(brief.valid());
            a.commands();
            a.server().pause_for(silent);
            co_await a.sleep(3s);
            CHECK(a.count("CLIENT") == 0);
            CHECK(are_held(held));
        });
    }
}

TEST_CASE(
    "a renewal that is unanswered for a third of its lease time closes the connection in time", "[renewal][silence]")
{
    for (auto of : {3s, 6s, 30s}) {
        CAPTURE(of);
        renewal_arena a;
        a.run([&]() -> awaitable<void> {
            co_await a.c.ready();
            auto l = co_await mutex(a.c, "m").acquire({.lease = of, .renew = true});
            auto const start = a.now();
            co_await a.sleep(of / 3 - of / 20 - 100ms);
            a.server().faults.lose_reply = 1;  // the connection is dead without a notification
            a.server().network.detection = 1h;
            a.commands();
            std::vector<std::string> commands;
            while (std::ranges::count(commands, "CLIENT") == 0 && a.now() - start < of) {
                co_await a.sleep(10ms);
                auto const more = a.commands();
                commands.insert(commands.end(), more.begin(), more.end());
                if (std::ranges::count(commands, "EVALSHA") + std::ranges::count(commands, "EVAL") > 0)
                    a.server().faults.lose_reply = 0;
            }
            CHECK(a.now() - start >= of * 6 / 10);
            CHECK(a.now() - start <= of * 7 / 10 + 200ms);
            co_await a.sleep(of);
            CHECK(l.valid());
        });
        CHECK(a.c.stats().lost == 0);
    }
}

// ---- a server that is paused

// The SET waits at a paused server, and the release behind it is lost with the connection.
TEST_CASE("the client does not give up a release while the server may still execute the acquire", "[release][silence]")
{
    renewal_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.c.ready();
        a.server().pause();
        error_code ec;
        a.spawn([&]() -> awaitable<void> {
            co_await mutex(a.c, "m").try_acquire(asio::redirect_error(use_awaitable, ec));
        });
        co_await a.sleep(100ms);
        a.server().faults.lose_request = 1;
        co_await a.sleep(600ms);
        a.server().faults.lose_request = 0;
        CHECK(ec == errc::unavailable);
        co_await a.sleep(8s);  // the lease time is 3 s
        CHECK(a.census(a.c).releases == 1);
        a.server().resume();
        co_await a.sleep(2s);
        CHECK_FALSE(a.exists("m"));
    });
    CHECK(a.census(a.c) == engine::client_engine::census{});
}

}  // namespace
}  // namespace holdfast::test
