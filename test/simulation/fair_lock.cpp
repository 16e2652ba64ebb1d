//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Fair locks grant in order of arrival across processes; what a waiter costs, survives, and leaves behind.

#include <random>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr auto queue_key = "redisson_lock_queue:{f}";
constexpr auto timeouts_key = "redisson_lock_timeout:{f}";
constexpr auto waiters_key = "holdfast_lock_waiters:{f}";
constexpr auto priorities_key = "holdfast_lock_priority:{f}";

// Several clients, and the order in which their acquires of "f" are served.
class printer {
public:
    explicit printer(fair_options o = {}) : options_(o) {}

    holdfast::client& client(std::string_view where)
    {
        auto const found = clients_.find(where);
        return found != clients_.end() ? *found->second : *clients_.emplace(where, &world.client(where)).first->second;
    }

    fair_lock lock(std::string_view where) { return {client(where), "f", options_}; }

    // Starts a contender, which waits, is recorded as served, and holds the lock for a while.
    void queue_up(std::string name, std::string_view where, fair_acquire_options o = {}, core::duration hold = 10ms)
    {
        world.spawn(
            [this, l = lock(where), name, where = std::string(where), o, hold]() -> awaitable<void> {
                auto lease = co_await l.acquire(o);
                served.push_back(name);
                served_at.push_back(world.now());
                co_await world.sleep(hold, where);
                co_await lease.release();
            },
            where);
    }

    std::int64_t size(char const* key, char const* verb) { return world.server().execute({verb, key}).integer; }

    bool has_residue()
    {
        return world.server().execute({"EXISTS", queue_key, timeouts_key, waiters_key, priorities_key}).integer != 0;
    }

    arena world;
    std::vector<std::string> served;
    std::vector<core::instant> served_at;

private:
    fair_options options_;
    std::map<std::string, holdfast::client*, std::less<>> clients_;
};

// Runs a test body that begins while "A" holds the lock.
template <class Scenario>
void behind_a_holder(fair_options o, Scenario scenario)
{
    printer p(o);
    p.world.run([&]() -> awaitable<void> {
        auto held = co_await p.lock("A").acquire();
        co_await scenario(p, p.world, held);
    });
}

template <class Scenario>
void behind_a_holder(Scenario scenario)
{
    behind_a_holder({}, std::move(scenario));
}

TEST_CASE("a fair lock serves waiters of several processes in order of arrival", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        std::vector<std::string> expected;
        for (int i = 0; i < 60; ++i) {
            p.queue_up(std::to_string(i), std::string(1, static_cast<char>('A' + i % 4)));
            expected.push_back(std::to_string(i));
            co_await a.sleep(20ms);
        }
        CHECK(p.size(queue_key, "LLEN") == 60);
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(p.served == expected);
        CHECK_FALSE(p.has_residue());
        CHECK_FALSE(a.exists("f"));
    });
}

TEST_CASE("try_acquire does not pass a queued waiter and does not join the queue", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        auto held = co_await p.lock("A").try_acquire();
        CHECK(held.valid());
        auto const second = co_await p.lock("A").try_acquire();
        CHECK(second.empty());
        CHECK_FALSE(p.has_residue());
        // A waiter of another library is first in the queue: the lock is free, but not for other contenders.
        a.server().execute({"RPUSH", queue_key, "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:1"});
        a.server().execute({"ZADD", timeouts_key, "1900000000000", "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:1"});
        co_await held.release();
        auto const third = co_await p.lock("B").try_acquire();
        CHECK(third.empty());
        CHECK_FALSE(a.exists("f"));
        CHECK(p.size(queue_key, "LLEN") == 1);
    });
}

TEST_CASE("a fair waiter that times out or is cancelled leaves nothing in the queue", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        auto const busy = co_await p.lock("B").try_acquire({.wait = 200ms, .priority = 7});
        CHECK(busy.empty());
        co_await a.sleep(50ms);
        CHECK_FALSE(p.has_residue());
        error_code ec;
        asio::cancellation_signal signal;
        a.world().at(a.now() + 300ms, [&] { signal.emit(asio::cancellation_type::terminal); });
        auto const none = co_await p.lock("A").acquire(
            asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
        CHECK(ec == asio::error::operation_aborted);
        CHECK(none.empty());
        co_await a.sleep(50ms);
        CHECK_FALSE(p.has_residue());
        co_await held.release();
        CHECK_FALSE(a.exists("f"));
        co_await a.sleep(3s);
        CHECK(a.census(p.client("A")) == engine::client_engine::census{});
        CHECK(a.census(p.client("B")) == engine::client_engine::census{});
    });
}

TEST_CASE("when the first waiter gives up while the lock is free, the next waiter is notified", "[fair_lock]")
{
    asio::cancellation_signal give_up;
    behind_a_holder([&give_up](printer& p, arena& a, lease&) -> awaitable<void> {
        a.spawn(
            [&]() -> awaitable<void> {
                error_code ec;
                auto const lock = p.lock("B");
                auto const token = asio::bind_cancellation_slot(
                    give_up.slot(), asio::redirect_error(use_awaitable, ec));
                auto const l = co_await lock.acquire(token);
                CHECK(l.empty());
            },
            "B");
        co_await a.sleep(50ms);
        p.queue_up("next", "C");
        co_await a.sleep(50ms);
        // The lock becomes free without a message, so the first waiter makes no attempt before it leaves.
        a.server().execute({"DEL", "f"});
        co_await a.sleep(400ms);
        give_up.emit(asio::cancellation_type::terminal);
        co_await a.sleep(100ms);
        CHECK(p.served == std::vector<std::string>{"next"});
    });
}

TEST_CASE("an owner re-enters a fair lock, but a second wait of one owner completes as owner_in_use", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        auto& c = p.client("A");
        fair_lock const mine(c, "f", c.make_owner("tx-1"));
        auto outer = co_await mine.acquire();
        a.commands();
        auto inner = co_await mine.try_acquire();
        CHECK(a.commands().empty());
        CHECK(outer.hold_count() == 2);
        auto const holders = co_await mine.holders();
        REQUIRE(holders.size() == 1);
        CHECK(holders[0].label == "tx-1");
        fair_lock const other(c, "f", c.make_owner());
        p.world.spawn([other]() -> awaitable<void> { auto l = co_await other.acquire(); });
        co_await a.sleep(50ms);
        auto const twice = co_await error_of(other.acquire(use_awaitable));
        CHECK(twice == errc::owner_in_use);
        co_await inner.release();
        co_await outer.release();
        co_await a.sleep(100ms);
    });
}

TEST_CASE("a killed waiter delays the waiters behind it by at most one waiter timeout", "[fair_lock]")
{
    behind_a_holder({.waiter_timeout = 2s}, [](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("dead", "B");
        co_await a.sleep(50ms);
        p.queue_up("alive", "C");
        co_await a.sleep(50ms);
        p.world.at("B").kill();
        auto const killed = a.now();
        co_await held.release();
        co_await a.sleep(5s);
        REQUIRE(p.served == std::vector<std::string>{"alive"});
        CHECK(p.served_at[0] - killed <= 2s + 20ms);
        CHECK(p.served_at[0] - killed > 1s);
        CHECK_FALSE(p.has_residue());
    });
}

TEST_CASE("a release passes over killed waiters whose waiter timeout has ended", "[fair_lock]")
{
    behind_a_holder({.waiter_timeout = 1s}, [](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("dead", "B");
        p.queue_up("dead too", "B");
        co_await a.sleep(50ms);
        p.queue_up("alive", "C");
        co_await a.sleep(50ms);
        p.world.at("B").kill();
        co_await a.sleep(5s);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(1s);
        REQUIRE(p.served == std::vector<std::string>{"alive"});
        CHECK(p.served_at[0] - released < 20ms);
    });
}

TEST_CASE("a release passes over a first waiter whose process is paused beyond the waiter timeout", "[fair_lock]")
{
    behind_a_holder({.waiter_timeout = 2s}, [](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("frozen", "B");
        co_await a.sleep(50ms);
        p.queue_up("alive", "C");
        co_await a.sleep(50ms);
        p.world.at("B").pause_for(1h);
        co_await a.sleep(5s);
        auto const released = a.now();
        co_await held.release();
        co_await a.sleep(3s);
        p.world.at("B").kill();
        REQUIRE(p.served == std::vector<std::string>{"alive"});
        CHECK(p.served_at[0] - released < 1s);
    });
}

TEST_CASE("after a holder is killed, the next fair waiter is served when the holder's lease time ends", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        p.queue_up("holder", "B", {.lease = 2s}, 1h);
        co_await a.sleep(50ms);
        p.queue_up("next", "C");
        co_await a.sleep(50ms);
        p.world.at("B").kill();
        a.commands();
        co_await a.sleep(3s);
        REQUIRE(p.served == std::vector<std::string>{"holder", "next"});
        CHECK(p.served_at[1] - p.served_at[0] < 2s + 50ms);
        CHECK(a.commands().size() < 20);
    });
}

TEST_CASE("fair waiters keep their order over a long wait, reconnections and a paused server", "[fair_lock]")
{
    printer p({.waiter_timeout = 4s});
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        auto held = co_await p.lock("A").acquire({.lease = 1h});
        for (auto const* name : {"1", "2", "3", "4"}) {
            p.queue_up(name, name[0] % 2 ? "B" : "C");
            co_await a.sleep(50ms);
        }
        co_await a.sleep(60s);
        for (int i = 0; i < 10; ++i) {
            a.server().model().disconnect_all();
            co_await a.sleep(700ms);
        }
        a.server().pause_for(8s);
        co_await a.sleep(12s);
        CHECK(p.size(queue_key, "LLEN") == 4);
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(p.served == std::vector<std::string>{"1", "2", "3", "4"});
    });
}

TEST_CASE("a new waiter is queued before waiters of lower priority and behind those of equal priority", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        std::pair<char const*, int> const crowd[] = {
            {"5a", 5}, {"3a", 3}, {"5b", 5}, {"9a", 9}, {"3b", 3}, {"9b", 9}, {"1", 1}, {"5c", 5}};
        for (auto const& [name, priority] : crowd) {
            p.queue_up(name, "B", {.priority = priority});
            co_await a.sleep(20ms);
        }
        co_await held.release();
        co_await a.sleep(2s);
        CHECK(p.served == std::vector<std::string>{"9a", "9b", "5a", "5b", "5c", "3a", "3b", "1"});
        CHECK_FALSE(p.has_residue());
    });
}

TEST_CASE("with_lock passes the priority on to a fair lock, with a wait time and without", "[fair_lock][with_lock]")
{
    for (std::optional<std::chrono::milliseconds> const wait : {std::optional(60'000ms), {}})
        behind_a_holder([&](printer& p, arena& a, lease& held) -> awaitable<void> {
            for (auto const* name : {"5a", "5b"}) {
                p.queue_up(name, "B");
                co_await a.sleep(20ms);
            }
            a.spawn(
                [&, lock = p.lock("C"), options = fair_try_options{.wait = wait, .priority = 9}]() -> awaitable<void> {
                    auto body = [&](lease&) -> awaitable<void> {
                        p.served.push_back("9");
                        co_return;
                    };
                    co_await with_lock(lock, options, body);
                },
                "C");
            co_await a.sleep(20ms);
            co_await held.release();
            co_await a.sleep(2s);
            CHECK(p.served == std::vector<std::string>{"9", "5a", "5b"});
        });
}

TEST_CASE("a fair waiter is passed at most 30 times by waiters of higher priority", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("low", "B", {.priority = 1});
        co_await a.sleep(20ms);
        for (int i = 0; i < 40; ++i) {
            p.queue_up(std::to_string(i), "C", {.priority = 10});
            co_await a.sleep(5ms);
        }
        co_await held.release();
        co_await a.sleep(5s);
        REQUIRE(p.served.size() == 41);
        CHECK(p.served[30] == "low");
        CHECK(p.served[31] == "30");
    });
}

// Contenders with random priorities arrive while others are served.
void draw_priorities(std::uint64_t seed)
{
    constexpr int crowd = 60;
    constexpr std::size_t max_bypass = 30;
    printer p;
    auto& a = p.world;
    std::minstd_rand random(static_cast<unsigned>(seed));
    std::map<std::string, std::size_t> latest;  // the index at which each must be served at the latest
    a.run([&]() -> awaitable<void> {
        auto held = co_await p.lock("A").acquire();
        for (int i = 1; i <= crowd; ++i) {
            p.queue_up(std::to_string(i), "B", {.priority = 1 + static_cast<int>(random() % 10)});
            co_await a.sleep(5ms);
            auto const line = a.server().execute({"LRANGE", queue_key, "0", "-1"}).items;
            auto const token = std::string(p.client("B").id()) + ":" + std::to_string(i);
            auto const at = std::ranges::find(line, token, &simulated::value::text);
            latest[std::to_string(i)] = p.served.size() + static_cast<std::size_t>(at - line.begin()) + max_bypass;
            if (i == crowd / 3)
                co_await held.release();
        }
        co_await a.sleep(5s);
    });
    REQUIRE(p.served.size() == crowd);
    for (std::size_t i = 0; i < p.served.size(); ++i)
        CHECK(i <= latest[p.served[i]]);
}

TEST_CASE("with random priorities a waiter is served after those ahead of it and at most 30 others", "[fair_lock]")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        INFO("seed " << seed);
        draw_priorities(seed);
    }
}

TEST_CASE("a priority out of range and a waiter timeout below one second are refused", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        for (int const priority : {0, 11, -1, 256}) {
            auto const got = co_await error_of(p.lock("A").acquire({.priority = priority}, use_awaitable));
            CHECK(got == errc::invalid_option);
            auto const tried = co_await error_of(p.lock("A").try_acquire({.priority = priority}, use_awaitable));
            CHECK(tried == errc::invalid_option);
        }
        CHECK(p.client("A").last_failure().message.find("priority") != std::string::npos);
        CHECK_THROWS_AS(fair_lock(p.client("A"), "f", {.waiter_timeout = 999ms}), std::invalid_argument);
    });
}

TEST_CASE("fencing tokens of a fair lock grow even after their counter was deleted", "[fair_lock]")
{
    printer p({.fencing = true});
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        std::uint64_t last = 0;
        for (int i = 0; i < 6; ++i) {
            auto l = co_await p.lock(i % 2 ? "A" : "B").acquire();
            CHECK(l.fencing_token().value() > last);
            last = l.fencing_token().value();
            if (i == 3)
                a.server().execute({"DEL", "holdfast_fence:{f}"});
            co_await l.release();
        }
    });
}

TEST_CASE(
    "waiters() lists the queue of a fair lock, and force_release() frees the lock for the next waiter", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        auto const lock = p.lock("A");
        auto const none = co_await lock.waiters();
        CHECK(none.empty());
        auto held = co_await lock.acquire();
        p.queue_up("1", "B");
        co_await a.sleep(20ms);
        p.queue_up("2", "C");
        co_await a.sleep(20ms);
        auto const waiters = co_await lock.waiters();
        REQUIRE(waiters.size() == 2);
        CHECK(waiters[0].id.starts_with(p.client("B").id()));
        CHECK(waiters[1].id.starts_with(p.client("C").id()));
        CHECK(waiters[0].remaining > 14s);
        CHECK_FALSE(waiters[0].mine);
        auto const taken = co_await lock.force_release();
        CHECK(taken);
        co_await a.sleep(100ms);
        CHECK(p.served == std::vector<std::string>{"1", "2"});
        auto const nothing = co_await lock.force_release();
        CHECK_FALSE(nothing);
        co_await a.sleep(2s);
        CHECK(held.state() == lease_state::lost);
    });
}

TEST_CASE("waiters() tells the priority of each, how long it has waited, and which belong to the client", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("1", "B");
        co_await a.sleep(20s);
        p.queue_up("2", "A", {.priority = 8});
        p.queue_up("3", "A");
        co_await a.sleep(10s);
        a.server().execute({"RPUSH", queue_key, "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:1"});
        a.server().execute({"ZADD", timeouts_key, "1900000000000", "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:1"});
        auto const all = co_await p.lock("A").waiters();
        REQUIRE(all.size() == 4);
        std::vector<int> priorities;
        std::vector<bool> mine;
        std::vector<std::int64_t> seconds;
        for (auto const& w : all) {
            priorities.push_back(w.priority);
            mine.push_back(w.mine);
            seconds.push_back(w.waited ? (*w.waited + 500ms) / 1s : -1);
        }
        CHECK(priorities == std::vector<int>{8, 5, 5, 5});
        CHECK(mine == std::vector<bool>{true, false, true, false});
        CHECK(seconds == std::vector<std::int64_t>{10, 30, 10, -1});
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(p.served == std::vector<std::string>{"2", "1", "3"});
    });
}

// The rest of the queue would show it, whose keys exist until the last waiter leaves.
TEST_CASE("a waiter that leaves the queue of a fair lock leaves nothing in it", "[fair_lock]")
{
    behind_a_holder([](printer& p, arena& a, lease& held) -> awaitable<void> {
        p.queue_up("1", "B");
        co_await a.sleep(1s);
        auto const before = p.size(waiters_key, "ZCARD");
        auto const none = co_await p.lock("C").try_acquire({.wait = 5s});
        CHECK(none.empty());
        co_await a.sleep(1s);
        CHECK(p.size(waiters_key, "ZCARD") == before);
        co_await held.release();
        co_await a.sleep(1s);
        CHECK_FALSE(p.has_residue());
    });
}

TEST_CASE("a contended fair acquire costs at most six commands, plus two refreshes a second per client", "[fair_lock]")
{
    constexpr int crowd = 300;
    behind_a_holder([&](printer& p, arena& a, lease& held) -> awaitable<void> {
        co_await p.client("B").ready();
        co_await a.sleep(1s);
        a.commands();
        unsigned refreshes = 0;
        a.server().check([&](executed const& e) {
            auto const& text = engine::scripts::fair_refresh;
            refreshes += !e.what.in_script && e.what.args.size() > 1
                         && (e.what.args[1] == text.sha1 || e.what.args[1] == text.text);
        });
        for (int i = 0; i < crowd; ++i)
            p.queue_up(std::to_string(i), "B", {.lease = 30s, .renew = true}, 5ms);
        co_await a.sleep(20s);
        CHECK(refreshes <= 41);
        co_await held.release();
        co_await a.sleep(10s);
        CHECK(p.served.size() == crowd);
        auto const sent = a.commands().size() - refreshes;
        INFO(double(sent) / crowd << " commands");
        CHECK(sent <= 6 * crowd);
    });
}

TEST_CASE("a fair acquire costs at most six commands when two processes alternate", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    constexpr int turns = 50;
    a.run([&]() -> awaitable<void> {
        for (auto const* where : {"A", "B"})
            a.spawn(
                [&, where]() -> awaitable<void> {
                    for (int i = 0; i < turns; ++i) {
                        auto l = co_await p.lock(where).acquire();
                        co_await a.sleep(20ms, where);
                        co_await l.release();
                    }
                    p.served.emplace_back(where);
                },
                where);
        co_await a.sleep(10s);
        CHECK(p.served.size() == 2);
        auto const sent = a.commands();
        INFO(double(sent.size()) / (2 * turns) << " commands");
        CHECK(sent.size() <= 6 * 2 * turns);
    });
}

TEST_CASE("fair waiters poll with their refreshes when the server refuses subscriptions", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.server().model().deny_channels(true);
    a.run([&]() -> awaitable<void> {
        auto held = co_await p.lock("A").acquire();
        for (auto const* name : {"1", "2", "3"}) {
            p.queue_up(name, name);
            co_await a.sleep(300ms);
        }
        a.commands();
        co_await a.sleep(10s);
        CHECK(std::ranges::count(a.commands(), "EVALSHA") <= 3 * 21 + 11);  // three waiters' refreshes, and renewals
        co_await held.release();
        co_await a.sleep(5s);
        CHECK(p.served == std::vector<std::string>{"1", "2", "3"});
    });
}

TEST_CASE("a fair acquire completes as wrong_type when one of the lock's keys has another type", "[fair_lock]")
{
    auto const* const key = GENERATE(
        "f", "redisson_lock_queue:{f}", "redisson_lock_timeout:{f}", "holdfast_lock_waiters:{f}");
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        co_await p.client("A").ready();
        auto const is_lock = std::string_view(key) == "f";
        lease held;
        if (!is_lock)
            held = co_await p.lock("A").acquire();
        a.server().execute({"SET", key, "text"});
        if (is_lock)
            a.server().execute({"PERSIST", key});
        auto const got = co_await error_of(p.lock("B").acquire(use_awaitable));
        CHECK(got == errc::wrong_type);
        a.server().execute({"DEL", key});
        if (!is_lock)
            co_await held.release();
        auto const fresh = co_await p.lock("B").try_acquire({.wait = 5s});
        CHECK(fresh.valid());
    });
}

TEST_CASE("fair waiters are all served after keys or entries of their queue were deleted", "[fair_lock]")
{
    enum class damage { no_list, no_scores, no_signs, no_entry, all };
    auto const what = GENERATE(damage::no_list, damage::no_scores, damage::no_signs, damage::no_entry, damage::all);
    behind_a_holder({.waiter_timeout = 2s}, [&](printer& p, arena& a, lease& held) -> awaitable<void> {
        for (auto const* name : {"1", "2", "3"}) {
            p.queue_up(name, name);
            co_await a.sleep(50ms);
        }
        switch (what) {
            case damage::no_list: a.server().execute({"DEL", queue_key}); break;
            case damage::no_scores: a.server().execute({"DEL", timeouts_key}); break;
            case damage::no_signs: a.server().execute({"DEL", waiters_key}); break;
            case damage::no_entry: a.server().execute({"LPOP", queue_key}); break;
            case damage::all: a.server().execute({"FLUSHALL"}); break;
        }
        co_await a.sleep(3s);
        co_await error_of(held.release(use_awaitable));
        co_await a.sleep(10s);
        CHECK(p.served.size() == 3);
        CHECK_FALSE(p.has_residue());
    });
}

TEST_CASE(
    "while the server is out of memory, fair waiters keep their places and killed waiters are removed", "[fair_lock]")
{
    bool const is_fenced = GENERATE(false, true);
    behind_a_holder(
        {.fencing = is_fenced, .waiter_timeout = 2s}, [](printer& p, arena& a, lease& held) -> awaitable<void> {
            p.queue_up("1", "B");
            co_await a.sleep(50ms);
            p.queue_up("2", "C");
            co_await a.sleep(50ms);
            a.server().model().set_condition(simulated::condition::out_of_memory);
            co_await a.sleep(5s);
            a.at("B").kill();
            co_await held.release();
            co_await a.sleep(20s);
            CHECK(p.served == std::vector<std::string>{"2"});
            a.server().model().set_condition(simulated::condition::normal);
        });
}

// A client of another library does not extend the time to live of the queue's keys.
TEST_CASE("places of foreign waiters do not expire when the last Holdfast waiter leaves the queue", "[fair_lock]")
{
    auto const ours_gives_up = GENERATE(false, true);
    constexpr auto foreign = "6f1c1d0e-0000-4000-8000-000000000003:77";
    behind_a_holder([&](printer& p, arena& a, lease& held) -> awaitable<void> {
        a.spawn([&]() -> awaitable<void> { auto const l = co_await p.lock("B").try_acquire({.wait = 300ms}); }, "B");
        co_await a.sleep(100ms);
        a.server().execute({"RPUSH", queue_key, foreign});
        a.server().execute({"ZADD", timeouts_key, "99999999999999", foreign});
        if (!ours_gives_up)
            co_await held.release();
        co_await a.sleep(1s);
        CHECK(p.size(queue_key, "LLEN") == 1);
        CHECK(p.size(queue_key, "PTTL") == -1);
        CHECK(p.size(timeouts_key, "PTTL") == -1);
    });
}

TEST_CASE("a fair lock can be acquired through any_lock and with_lock", "[fair_lock]")
{
    printer p;
    auto& a = p.world;
    a.run([&]() -> awaitable<void> {
        any_lock const some = p.lock("A");
        auto l = co_await some.acquire();
        CHECK(l.valid());
        auto const body = [](lease& inner) -> awaitable<int> { co_return inner.valid() ? 7 : 0; };
        auto const n = co_await with_lock(fair_lock(p.client("A"), "g"), body);
        CHECK(n == 7);
    });
}

}  // namespace
}  // namespace holdfast::test
