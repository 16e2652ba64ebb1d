//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Releases of one event loop iteration: one script for all of them, and each completes as it would alone.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "sim/redis_model.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using words = std::vector<std::string>;

class release_arena : public arena {
public:
    release_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}), c(client()) {}

    holdfast::client& c;

    static std::string name(int i) { return "lock " + std::to_string(i); }

    awaitable<std::vector<lease>> hold(holdfast::client& c, int count)
    {
        co_await c.ready();
        std::vector<lease> held;
        for (int i = 0; i < count; ++i)
            held.push_back(co_await mutex(c, name(i)).acquire());
        commands();
        co_return held;
    }

    // Loads the scripts into the server.
    awaitable<void> warm_up(holdfast::client& c)
    {
        for (int count : {1, 2}) {
            auto held = co_await hold(c, count);
            held.clear();
            co_await sleep(10ms);
        }
        commands();
    }

    // Releases all leases in one event loop iteration. Returns their results after that time.
    awaitable<std::vector<error_code>> release(std::vector<lease>& held, core::duration time)
    {
        auto const ends = std::make_shared<std::vector<error_code>>(held.size(), asio::error::in_progress);
        for (std::size_t i = 0; i < held.size(); ++i)
            spawn([&held, ends, i]() -> awaitable<void> {
                co_await held[i].release(asio::redirect_error(use_awaitable, (*ends)[i]));
            });
        co_await sleep(time);
        co_return *ends;
    }

    int count_of_held(int count)
    {
        int n = 0;
        for (int i = 0; i < count; ++i)
            n += exists(name(i));
        return n;
    }
};

// Runs a test body with a client that holds `count` mutexes on a server that has the scripts. At the end no state is
// left.
template <class Scenario>
void with_held_locks(int count, Scenario scenario)
{
    release_arena a;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(a.c);
        auto held = co_await a.hold(a.c, count);
        co_await scenario(a, held);
        held.clear();
        co_await a.sleep(2s);
    });
    CHECK(a.census(a.c) == engine::client_engine::census{});
}

bool says_alone(std::string const& line)
{
    return line.find("each is released alone") != line.npos;
}

TEST_CASE("the client sends the releases of one event loop iteration as one command", "[batch_release]")
{
    with_held_locks(5, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        auto const start = a.now();
        held.resize(1);
        co_await held.front().release();
        CHECK(a.now() - start == 2ms);
        CHECK(a.commands() == words{"EVALSHA"});
        CHECK(a.count_of_held(5) == 0);
    });
}

TEST_CASE("the client sends 200 releases as four batches", "[batch_release]")
{
    with_held_locks(200, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        held.clear();
        co_await a.sleep(10ms);
        CHECK(a.commands() == words(4, "EVALSHA"));
        CHECK(a.count_of_held(200) == 0);
    });
}

TEST_CASE("each release of a batch completes with the outcome of its own lock", "[batch_release]")
{
    with_held_locks(4, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        a.server().execute({"DEL", a.name(1)});
        a.server().execute({"SET", a.name(2), "another's"});
        a.commands();
        auto const ends = co_await a.release(held, 10ms);
        CHECK(ends == std::vector<error_code>{{}, errc::lease_lost, errc::lease_lost, {}});
        CHECK(a.commands() == words{"EVALSHA"});
        CHECK(a.count_of_held(4) == 1);
    });
}

TEST_CASE("an acquire in the same event loop iteration is sent after the queued release of its lock", "[batch_release]")
{
    with_held_locks(3, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        auto const start = a.now();
        held.clear();
        auto const again = co_await mutex(a.c, a.name(1)).acquire();
        CHECK(a.now() - start == 2ms);
        CHECK(a.commands() == words{"EVALSHA", "SET"});
        CHECK(again.valid());
        CHECK(a.count_of_held(3) == 1);
    });
}

TEST_CASE("a query in the same event loop iteration is sent after the queued release of its lock", "[batch_release]")
{
    with_held_locks(2, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        held.clear();
        auto const locked = co_await mutex(a.c, a.name(0)).is_locked();
        CHECK_FALSE(locked);
    });
}

TEST_CASE("a key of another type does not stop the batched release of mutexes and reentrant locks", "[batch_release]")
{
    with_held_locks(2, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        auto const me = a.c.make_owner();
        for (auto const* name : {"mine", "list", "hash"})
            held.push_back(co_await reentrant_lock(a.c, name, me).acquire());
        held.push_back(co_await mutex(a.c, "fenced", {.fencing = true}).acquire());
        for (auto const* name : {"lock 0", "list"}) {
            a.server().execute({"DEL", name});
            a.server().execute({"RPUSH", name, "x"});
        }
        a.commands();
        auto const ends = co_await a.release(held, 10ms);
        auto const lost = error_code(errc::lease_lost);
        CHECK(ends == std::vector<error_code>{lost, {}, {}, lost, {}, {}});
        CHECK(a.commands() == words{"EVALSHA", "EVALSHA", "EVAL"});
        for (auto const* name : {"lock 1", "mine", "hash", "fenced"})
            CHECK_FALSE(a.exists(name));
        CHECK(a.exists("list"));
    });
}

TEST_CASE("a waiter of another process receives the message of a batched release", "[batch_release]")
{
    with_held_locks(3, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        auto& rival = a.client("B");
        lease won;
        a.spawn([&]() -> awaitable<void> { won = co_await mutex(rival, a.name(2)).acquire(); });
        co_await a.sleep(100ms);
        CHECK(won.empty());
        held.clear();
        co_await a.sleep(5ms);
        CHECK(won.valid());
    });
}

TEST_CASE("the client sends the text of the release script once to a server that does not have it", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(c, 3);
        held.clear();
        co_await a.sleep(10ms);
        CHECK(a.commands() == words{"EVALSHA", "EVAL"});
        CHECK(a.count_of_held(3) == 0);
    });
}

TEST_CASE("after the server refuses a batch release, the client sends each release alone", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        a.server().model().deny_command("mget");
        auto held = co_await a.hold(c, 3);
        held.clear();
        co_await a.sleep(10ms);
        CHECK(a.commands() == words(4, "EVALSHA"));
        CHECK(a.count_of_held(3) == 0);

        held = co_await a.hold(c, 3);
        held.clear();
        co_await a.sleep(10ms);
        CHECK(a.commands() == words(3, "EVALSHA"));
        CHECK(a.count_of_held(3) == 0);
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE(
    "batched releases without a reply complete as unavailable, and the client sends them again", "[batch_release]")
{
    with_held_locks(3, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        a.server().pause();
        auto const ends = co_await a.release(held, 700ms);
        CHECK(ends == std::vector<error_code>(3, errc::unavailable));  // completes, and is repeated
        a.server().resume();
        co_await a.sleep(2s);
        CHECK(a.count_of_held(3) == 0);
    });
}

// Before the command is sent, on its way, on the reply's way back, and after the reply.
TEST_CASE("the client sends batched releases again after the connection is lost at any moment", "[batch_release]")
{
    for (auto after = 0us; after <= 3000us; after += 250us) {
        CAPTURE(after);
        with_held_locks(3, [after](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
            held.clear();
            co_await a.sleep(after);
            a.server().model().disconnect_all();
            co_await a.sleep(2s);
            CHECK(a.count_of_held(3) == 0);
        });
    }
}

TEST_CASE("a client that is stopped at any moment drops its batched releases", "[batch_release]")
{
    for (auto after = 0us; after <= 3000us; after += 500us) {
        CAPTURE(after);
        with_held_locks(3, [after](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
            held.clear();
            co_await a.sleep(after);
            a.c.stop();
            co_await a.sleep(10ms);
        });
    }
}

TEST_CASE("the client sends alternating releases of two kinds of locks as one batch for each kind", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        auto const me = c.make_owner();
        for (int pass = 0; pass < 2; ++pass) {  // the first pass loads the scripts into the server
            std::vector<lease> held;
            for (int i = 0; i < 4; ++i) {
                held.push_back(co_await mutex(c, a.name(i)).acquire());
                held.push_back(co_await reentrant_lock(c, "mine " + std::to_string(i), me).acquire());
            }
            a.commands();
            held.clear();
            co_await a.sleep(10ms);
        }
        CHECK(a.commands() == words(2, "EVALSHA"));
    });
}

TEST_CASE("after a refused batch, the client sends batch releases again on the next connection", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        a.server().model().deny_command("mget");
        auto held = co_await a.hold(c, 3);
        held.clear();
        co_await a.sleep(10ms);
        CHECK(std::ranges::count_if(a.log(), says_alone) == 1);
        a.server().model().allow_all();
        a.server().model().disconnect_all();
        co_await a.sleep(1s);
        held = co_await a.hold(c, 3);
        held.clear();
        co_await a.sleep(10ms);
        CHECK(a.commands() == words{"EVALSHA"});
    });
}

TEST_CASE("the client repeats releases that the server refuses temporarily, until they succeed", "[batch_release]")
{
    using simulated::condition;
    for (auto now :
         {condition::busy,
          condition::loading,
          condition::out_of_memory,
          condition::disk_error,
          condition::no_replicas,
          condition::replica,
          condition::stale}) {
        CAPTURE(static_cast<int>(now));
        with_held_locks(3, [now](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
            auto const me = a.c.make_owner();
            for (auto const* name : {"mine", "mine, too"})
                held.push_back(co_await reentrant_lock(a.c, name, me).acquire());
            a.server().model().set_condition(now);
            a.spawn([&]() -> awaitable<void> {
                co_await a.sleep(100ms);
                a.server().model().set_condition(condition::normal);
            });
            auto const ends = co_await a.release(held, 400ms);
            CHECK(ends == std::vector<error_code>(5));
            CHECK_FALSE((a.count_of_held(3) > 0 || a.exists("mine") || a.exists("mine, too")));
        });
    }
}

TEST_CASE("a release that is refused for a time and then unanswered completes in command_timeout", "[batch_release]")
{
    for (auto const refused_for : {20ms, 200ms, 400ms}) {
        CAPTURE(refused_for);
        with_held_locks(3, [refused_for](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
            a.server().model().set_condition(simulated::condition::busy);
            a.spawn([&]() -> awaitable<void> {
                co_await a.sleep(refused_for);
                a.server().pause();
                a.server().model().set_condition(simulated::condition::normal);
                co_await a.sleep(1s);
                a.server().resume();
            });
            auto const ends = co_await a.release(held, 501ms);
            CHECK(ends == std::vector<error_code>(3, errc::unavailable));
            co_await a.sleep(2s);
            CHECK(a.count_of_held(3) == 0);
        });
    }
}

TEST_CASE("batched releases complete with success when the connection is lost at any moment", "[batch_release]")
{
    for (auto after = 0us; after <= 2500us; after += 250us) {
        CAPTURE(after);
        with_held_locks(3, [after](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
            a.spawn([&]() -> awaitable<void> {
                co_await a.sleep(after);
                a.server().model().disconnect_all();
            });
            auto const ends = co_await a.release(held, 450ms);
            CHECK(ends == std::vector<error_code>(3));
        });
    }
}

// The replies to two cancelled acquires and the end of the connection arrive in the same read.
TEST_CASE("the client gives up releases that it could never send when the lease time has ended", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        asio::cancellation_signal first, second;
        mutex(c, a.name(0)).acquire(asio::bind_cancellation_slot(first.slot(), [](error_code, lease const&) {}));
        mutex(c, a.name(1)).acquire(asio::bind_cancellation_slot(second.slot(), [](error_code, lease const&) {}));
        co_await a.sleep(500us);
        first.emit(asio::cancellation_type::terminal);
        second.emit(asio::cancellation_type::terminal);
        co_await a.sleep(500us);
        CHECK(a.count_of_held(2) == 2);
        a.server().pause();
        a.server().model().disconnect_all();
        co_await a.sleep(2s);
        CHECK(a.census(c).releases == 2);
        co_await a.sleep(2s);
        CHECK(a.census(c).releases == 0);
        a.server().resume();
    });
}

TEST_CASE("shutdown() in the same event loop iteration waits for the queued releases", "[batch_release]")
{
    with_held_locks(3, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        held.clear();
        co_await a.c.shutdown();
        CHECK(a.commands() == words{"EVALSHA"});
        CHECK(a.count_of_held(3) == 0);
    });
}

TEST_CASE("force_release() returns false after a queued release in the same event loop iteration", "[batch_release]")
{
    with_held_locks(3, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        co_await mutex(a.c, "another").force_release();  // so that the server has its script, too
        held.clear();
        auto const was_held = co_await mutex(a.c, a.name(1)).force_release();
        CHECK_FALSE(was_held);
    });
}

TEST_CASE("the client releases a lost lease and acquires its lock again in one round trip", "[batch_release]")
{
    release_arena a;
    auto& c = a.c;
    a.run([&]() -> awaitable<void> {
        co_await a.warm_up(c);
        std::vector<lease> held;
        for (int i = 0; i < 3; ++i)
            held.push_back(co_await mutex(c, a.name(i)).acquire({.lease = 3s, .max_hold = 200ms}));
        co_await a.sleep(500ms);
        CHECK_FALSE(held[0].valid());
        auto const start = a.now();
        held.clear();
        auto const again = co_await mutex(c, a.name(1)).try_acquire();
        CHECK(a.now() - start == 2ms);
        CHECK(again.valid());
        CHECK(a.count_of_held(3) == 1);
    });
}

TEST_CASE("an acquire after stop() completes as client_stopped and is not sent", "[batch_release]")
{
    with_held_locks(2, [](release_arena& a, std::vector<lease>& held) -> awaitable<void> {
        auto const end = std::make_shared<error_code>(asio::error::in_progress);
        held.pop_back();
        a.c.stop();
        mutex(a.c, "late").try_acquire([end](error_code ec, lease const&) { *end = ec; });
        co_await a.sleep(100ms);
        CHECK(*end == errc::client_stopped);
        CHECK(std::ranges::count(a.commands(), "SET") == 0);
        CHECK_FALSE(a.exists("late"));
    });
}

}  // namespace
}  // namespace holdfast::test
