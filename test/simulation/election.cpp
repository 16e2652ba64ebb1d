//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The election with the whole client: campaigns, resignations, terms, values, and what observers learn.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

std::string describe(std::optional<leader> const& l)
{
    return l ? l->value + (l->term == 0 ? " without term" : "") : "-";
}

// Candidates in the processes "A" and "B", an observer in the process "C".
struct three_processes {
    arena world;
    election a{world.client("A"), "boss"};
    election b{world.client("B"), "boss"};
    election c{world.client("C"), "boss"};
    std::vector<std::string> seen;  // by the observer
    std::vector<leader> leaders;
    std::optional<leader_watch> watch;

    awaitable<void> follow()
    {
        watch = c.observe();
        error_code ec;
        for (;;) {
            auto const now = co_await watch->next(asio::redirect_error(use_awaitable, ec));
            if (ec)
                co_return;
            seen.push_back(describe(now));
            if (now)
                leaders.push_back(*now);
        }
    }
    // Until it knows that nobody leads.
    awaitable<void> observe()
    {
        world.spawn(follow(), "C");
        while (seen.empty())
            co_await world.sleep(1ms, "C");
    }

    std::uint64_t term_of_b = 0;
    awaitable<void> lead_as_b(core::duration d)
    {
        error_code ec;
        auto me = co_await b.campaign("b", asio::redirect_error(use_awaitable, ec));
        term_of_b = me.term();
        co_await world.sleep(d, "B");
    }
};

using list = std::vector<std::string>;

TEST_CASE("one candidate leads, and the next one follows when it resigns", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a");
        REQUIRE(me.valid());
        CHECK(me.term() > 0);
        CHECK(t.world.exists("holdfast_leader:{boss}"));
        auto const other = co_await t.b.campaign("b", {.wait = 0ms});
        CHECK(other.empty());

        t.world.spawn(t.lead_as_b(1s), "B");
        co_await t.world.sleep(100ms);
        auto const waiting = co_await t.c.candidates();
        REQUIRE(waiting.size() == 1);
        CHECK(waiting[0].waited > 90ms);
        CHECK_FALSE(waiting[0].mine);
        auto const first = me.term();
        auto const at = t.world.now();
        co_await me.resign();
        CHECK(me.empty());
        while (t.term_of_b == 0)
            co_await t.world.sleep(1ms);
        // One message and one script, each at most 1 ms under way in each direction.
        CHECK(t.world.now() - at < 10ms);
        CHECK(t.term_of_b > first);
        co_await t.world.sleep(2s);
        auto const nobody = co_await t.a.current();
        CHECK_FALSE(nobody);
        CHECK_FALSE(t.world.exists("holdfast_leader:{boss}"));
        CHECK_FALSE(t.world.exists("boss"));
    });
}

TEST_CASE("current() tells the leader, its value and its term", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("10.0.0.7:9000");
        auto const here = co_await t.a.current();
        REQUIRE(here);
        CHECK(here->value == "10.0.0.7:9000");
        CHECK(here->term == me.term());
        CHECK(here->self);
        CHECK(here->since.time_since_epoch() > 0s);
        auto const there = co_await t.c.current();
        REQUIRE(there);
        CHECK(there->id == here->id);
        CHECK_FALSE(there->self);
    });
}

TEST_CASE("observers learn each leader, each value, and that nobody leads", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        CHECK(t.seen == list{"-"});
        auto me = co_await t.a.campaign("a");
        co_await t.world.sleep(10ms);
        CHECK(t.seen == list{"-", "a"});
        co_await me.proclaim("a, ready");
        co_await t.world.sleep(10ms);
        CHECK(t.seen == list{"-", "a", "a, ready"});
        CHECK(t.leaders.back().term == me.term());
        co_await me.resign();
        co_await t.world.sleep(10ms);
        CHECK(t.seen == list{"-", "a", "a, ready", "-"});
    });
}

// The state is read when the lease time of the leader ends: no message tells of a death.
TEST_CASE("observers and candidates notice the death of a leader when its lease time is over", "[election]")
{
    three_processes t;
    core::instant died{};
    t.world.run(
        [&]() -> awaitable<void> {
            co_await t.observe();
            auto me = co_await t.a.campaign("a");
            co_await t.world.sleep(10s, "C");
            died = t.world.now();
            t.world.at("A").kill();
            while (t.seen.back() != "-")
                co_await t.world.sleep(1ms, "C");
        },
        "C");
    CHECK(t.seen == list{"-", "a", "-"});
    // The lease time, and the time for which a state is trusted.
    CHECK(t.world.now() - died < 3s + 10ms);
}

TEST_CASE("the next candidate leads when the lease time of a dead leader is over", "[election]")
{
    three_processes t;
    core::instant died{};
    t.world.run(
        [&]() -> awaitable<void> {
            auto me = co_await t.a.campaign("a");
            t.world.spawn(t.lead_as_b(1s), "B");
            co_await t.world.sleep(10s, "C");
            died = t.world.now();
            t.world.at("A").kill();
            while (t.term_of_b == 0)
                co_await t.world.sleep(1ms, "C");
        },
        "C");
    // The lease time, which the leader had renewed at most a third of it before; and two round trips.
    CHECK(t.world.now() - died < 3s + 10ms);
}

TEST_CASE("a hundred observers get one message each, and send one script each", "[election]")
{
    three_processes t;
    election const d(t.world.client("D", {.lease = 10min, .poll_interval = 10min}), "boss");
    std::vector<leader_watch> watches;
    unsigned told = 0;
    auto const follow = [&](leader_watch& w) -> awaitable<void> {
        error_code ec;
        for (;;) {
            co_await w.next(asio::redirect_error(use_awaitable, ec));
            if (ec)
                co_return;
            ++told;
        }
    };
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await d.campaign("d");
        for (int i = 0; i < 100; ++i)
            watches.push_back(d.observe());
        for (auto& w : watches)
            t.world.spawn(follow(w), "D");
        co_await t.world.sleep(1s);
        CHECK(told == 100);
        t.world.commands();
        co_await t.world.sleep(60s);
        CHECK(t.world.commands().empty());
        co_await me.resign();
        co_await t.world.sleep(100ms);
        CHECK(told == 200);
        // The resignation, and a script of each observer.
        auto const sent = t.world.commands();
        CHECK(std::ranges::count(sent, "EVALSHA") + std::ranges::count(sent, "EVAL") <= 102);
    });
}

TEST_CASE("an observer does not poll: it reads the state when the lease time of the leader ends", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        auto me = co_await t.a.campaign("a", {.lease = 10s});
        co_await t.world.sleep(1s);
        t.world.commands();
        co_await t.world.sleep(60s);
        auto const sent = t.world.commands();
        // The leader renews 18 to 21 times. The observer reads after two thirds of the lease time at the earliest.
        auto const scripts = std::ranges::count(sent, "EVALSHA");
        CHECK(scripts <= 21 + 10);
        CHECK(std::ranges::count(sent, "SUBSCRIBE") == 0);
    });
}

TEST_CASE("a value is changed only by the leader", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a");
        t.world.server().execute({"DEL", "boss"});
        auto const lost = co_await error_of(me.proclaim("late", use_awaitable));
        CHECK(lost == errc::lease_lost);
        auto const nobody = co_await t.b.current();
        CHECK_FALSE(nobody);
        auto next = co_await t.b.campaign("b");
        auto const now = co_await t.c.current();
        REQUIRE(now);
        CHECK(now->value == "b");
    });
}

TEST_CASE("a deleted record is written again by the next proclamation", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a");
        t.world.server().execute({"DEL", "holdfast_leader:{boss}"});
        auto const mute = co_await t.c.current();
        REQUIRE(mute);
        CHECK(mute->term == 0);
        co_await me.proclaim("again");
        auto const now = co_await t.c.current();
        REQUIRE(now);
        CHECK(now->value == "again");
        CHECK(now->term == me.term());
    });
}

TEST_CASE("a record is kept for as long as its leader leads", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a", {.lease = 60s});
        co_await t.world.sleep(50h);
        auto const now = co_await t.c.current();
        REQUIRE(now);
        CHECK(now->value == "a");
        CHECK(me.valid());
    });
}

TEST_CASE("a lock of another kind with the same name is a leader without term", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        fair_lock const same(t.world.client("D"), "boss");
        auto held = co_await same.acquire();
        auto const now = co_await t.c.current();
        REQUIRE(now);
        CHECK(now->term == 0);
        CHECK(now->value.empty());
        auto const none = co_await t.a.campaign("a", {.wait = 50ms});
        CHECK(none.empty());
        co_await held.release();
        auto const me = co_await t.a.campaign("a", {.wait = 1s});
        CHECK(me.valid());
    });
}

TEST_CASE("a leadership that is ended by force is followed, and observers learn it at once", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        auto const none = co_await t.c.force_release();
        CHECK_FALSE(none);
        auto const me = co_await t.a.campaign("a", {.lease = 60s});
        co_await t.world.sleep(10ms);
        auto const was_led = co_await t.c.force_release();
        CHECK(was_led);
        co_await t.world.sleep(10ms);
        CHECK(t.seen == list{"-", "a", "-"});
        auto const nobody = co_await t.c.current();
        CHECK_FALSE(nobody);
        co_await t.world.sleep(21s);
        CHECK_FALSE(me.valid());

        auto const again = co_await t.a.campaign("a", {.lease = 60s});
        t.world.spawn(t.lead_as_b(1s), "B");
        co_await t.world.sleep(10ms);
        CHECK(t.term_of_b == 0);
        co_await t.c.force_release();
        co_await t.world.sleep(10ms);
        CHECK(t.term_of_b > again.term());
        CHECK(t.seen.back() == "b");
    });
}

TEST_CASE("a cancelled campaign leaves nothing behind", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a");
        asio::cancellation_signal signal;
        error_code ec;
        bool done = false;
        auto const stand = [&]() -> awaitable<void> {
            auto const none = co_await t.b.campaign(
                "b", asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
            CHECK(none.empty());
            done = true;
        };
        t.world.spawn(stand(), "B");
        co_await t.world.sleep(100ms);
        signal.emit(asio::cancellation_type::terminal);
        co_await t.world.sleep(100ms);
        CHECK(done);
        CHECK(ec == asio::error::operation_aborted);
        CHECK_FALSE(t.world.exists("redisson_lock_queue:{boss}"));
        co_await me.resign();
        CHECK_FALSE(t.world.exists("boss"));
    });
}

TEST_CASE("bad input of an election names the option", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto& c = t.world.client("D");
        election const e(c, "boss");
        auto const too_long = co_await error_of(e.campaign(std::string(4097, 'x'), use_awaitable));
        CHECK(too_long == errc::invalid_option);
        CHECK(c.last_failure().message == R"(lock "boss": value: must not have more than 4096 bytes)");
        auto const body = [](leadership&) -> awaitable<void> { co_return; };
        auto const not_led = co_await error_of(lead(e, std::string(4097, 'x'), {}, body));
        CHECK(not_led == errc::invalid_option);
        auto const no_priority = co_await error_of(e.campaign("a", {.priority = 11}, use_awaitable));
        CHECK(no_priority == errc::invalid_option);
        auto const no_name = co_await error_of(election(c, "").current(use_awaitable));
        CHECK(no_name == errc::invalid_name);
        CHECK_THROWS_AS(election(c, "boss", {.candidate_timeout = 10ms}), std::invalid_argument);
        auto me = co_await e.campaign(std::string(4096, 'x'));
        auto const value = co_await error_of(me.proclaim(std::string(4097, 'x'), use_awaitable));
        CHECK(value == errc::invalid_option);
        leadership none;
        auto const empty = co_await error_of(none.proclaim("x", use_awaitable));
        CHECK(empty == errc::empty_lease);
    });
}

TEST_CASE("next() waits once at a time, can be cancelled, and ends with its watch and its client", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto watch = t.a.observe();
        auto const first = co_await watch.next();
        CHECK_FALSE(first);

        asio::cancellation_signal signal;
        error_code first_end, second_end;
        auto const wait = [&](error_code& ec) -> awaitable<void> {
            co_await watch.next(asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
        };
        t.world.spawn(wait(first_end));
        co_await t.world.sleep(10ms);
        auto const twice = co_await error_of(watch.next(use_awaitable));
        CHECK(twice == errc::invalid_option);
        signal.emit(asio::cancellation_type::total);
        co_await t.world.sleep(10ms);
        CHECK(first_end == asio::error::operation_aborted);

        t.world.spawn(wait(second_end));
        co_await t.world.sleep(10ms);
        {
            auto const gone = std::move(watch);
        }
        co_await t.world.sleep(10ms);
        CHECK(second_end == asio::error::operation_aborted);

        auto& d = t.world.client("D");
        auto last = election(d, "boss").observe();
        auto const nobody = co_await last.next();
        CHECK_FALSE(nobody);
        d.stop();
        auto const stopped = co_await error_of(last.next(use_awaitable));
        CHECK(stopped == errc::client_stopped);
        t.world.destroy(d);
        auto const destroyed = co_await error_of(last.next(use_awaitable));
        CHECK(destroyed == errc::client_stopped);
    });
}

TEST_CASE(
    "a watch that waits ends when its client stops, and leaves no subscription when it is destroyed", "[election]")
{
    three_processes t;
    auto& d = t.world.client("D");
    t.world.run([&]() -> awaitable<void> {
        error_code ec;
        {
            auto watch = election(d, "boss").observe();
            co_await watch.next();
            CHECK(t.world.census(d).channels == 1);
        }
        co_await t.world.sleep(3s);
        CHECK(t.world.census(d) == engine::client_engine::census{0, 0, 0, 0});

        auto watch = election(d, "boss").observe();
        co_await watch.next();
        auto const wait = [&]() -> awaitable<void> { co_await watch.next(asio::redirect_error(use_awaitable, ec)); };
        t.world.spawn(wait());
        co_await t.world.sleep(10ms);
        d.stop();
        co_await t.world.sleep(10ms);
        CHECK(ec == errc::client_stopped);
    });
}

TEST_CASE("an observer learns the state after an outage", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        auto me = co_await t.a.campaign("a");
        co_await t.world.sleep(50ms);
        t.world.server().restart(true, 500ms);
        co_await t.world.sleep(5s);
        CHECK_FALSE(me.valid());
        CHECK(t.seen == list{"-", "a", "-"});
        auto next = co_await t.b.campaign("b");
        co_await t.world.sleep(50ms);
        CHECK(t.seen == list{"-", "a", "-", "b"});
    });
}

// As after a failover to a replica that had not received the last writes.
TEST_CASE("an observer does not show an older term after a newer one", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        auto me = co_await t.a.campaign("a");
        co_await t.world.sleep(10ms);
        auto const older = std::to_string(me.term() - 1);
        auto& server = t.world.server();
        server.execute({"DEL", "boss"});
        server.execute({"HSET", "boss", "somebody", "1"});
        server.execute({"HSET", "holdfast_leader:{boss}", "holder", "somebody", "term", older, "value", "old"});
        co_await t.world.sleep(3s);
        CHECK(t.seen == list{"-", "a"});
        server.execute({"DEL", "boss"});
        auto next = co_await t.b.campaign("b");
        co_await t.world.sleep(10ms);
        CHECK(t.seen.back() == "b");
    });
}

TEST_CASE("without subscriptions an observer asks once a second", "[election]")
{
    three_processes t;
    t.world.server().model().deny_channels(true);
    t.world.run([&]() -> awaitable<void> {
        co_await t.observe();
        co_await t.world.sleep(2s);
        auto me = co_await t.a.campaign("a");
        co_await t.world.sleep(1100ms);
        CHECK(t.seen == list{"-", "a"});
    });
}

// What the leader of the process "A" is asked.
struct leader_that_may_yield : three_processes {
    std::optional<yield_reason> asked;
    error_code why_not;

    awaitable<void> listen(leadership& me)
    {
        error_code ec;
        auto const reason = co_await me.asked_to_yield(asio::redirect_error(use_awaitable, ec));
        why_not = ec;
        if (!ec)
            asked = reason;
    }
    awaitable<void> stand_as_b(int priority)
    {
        error_code ec;
        auto me = co_await b.campaign("b", {.priority = priority}, asio::redirect_error(use_awaitable, ec));
        term_of_b = me.term();
        co_await world.sleep(1s, "B");
    }
};

TEST_CASE("a leader is asked to yield to a candidate of higher priority, and to no other", "[election]")
{
    leader_that_may_yield t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a", {.priority = 4});
        t.world.spawn(t.listen(me));
        co_await t.world.sleep(50ms);
        auto const same = co_await t.b.campaign("b", {.wait = 5s, .priority = 4});
        CHECK(same.empty());
        CHECK_FALSE(t.asked);
        t.world.spawn(t.stand_as_b(6), "B");
        co_await t.world.sleep(10ms);
        CHECK(t.asked == yield_reason::better_candidate);
        CHECK(me.valid());
        co_await me.resign();
        co_await t.world.sleep(10ms);
        CHECK(t.term_of_b > 0);
    });
}

TEST_CASE("a leader learns of a candidate that was there before, and of one whose message was lost", "[election]")
{
    leader_that_may_yield t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.a.campaign("a", {.priority = 1});
        t.world.spawn(t.listen(me));
        co_await t.world.sleep(50ms);
        t.world.server().faults.drop_push = 1;
        t.world.spawn(t.stand_as_b(2), "B");
        co_await t.world.sleep(1100ms);
        CHECK(t.asked == yield_reason::better_candidate);
        t.asked.reset();
        co_await t.listen(me);
        CHECK(t.asked == yield_reason::better_candidate);
    });
}

TEST_CASE("asked_to_yield() ends with the leadership, its cancellation and the shutdown of the client", "[election]")
{
    leader_that_may_yield t;
    auto& d = t.world.client("A");
    election const e(d, "other");
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await e.campaign("a");
        t.world.spawn(t.listen(me));
        co_await t.world.sleep(50ms);
        co_await me.resign();
        co_await t.world.sleep(10ms);
        CHECK(t.why_not == errc::released);

        me = co_await e.campaign("a");
        t.world.spawn(t.listen(me));
        t.world.server().execute({"DEL", "other"});
        co_await t.world.sleep(2s);
        CHECK(t.why_not == errc::lease_lost);

        me = co_await e.campaign("a");
        asio::cancellation_signal signal;
        error_code ec;
        auto const wait = [&]() -> awaitable<void> {
            co_await me.asked_to_yield(
                asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
        };
        t.world.spawn(wait());
        co_await t.world.sleep(50ms);
        CHECK(t.world.census(d).channels > 0);
        signal.emit(asio::cancellation_type::terminal);
        co_await t.world.sleep(3s);
        CHECK(ec == asio::error::operation_aborted);
        CHECK(t.world.census(d).channels == 0);

        t.world.spawn(t.listen(me));
        co_await t.world.sleep(50ms);
        auto const stop = [&]() -> awaitable<void> { co_await d.shutdown(); };
        t.world.spawn(stop());
        co_await t.world.sleep(50ms);
        CHECK(t.asked == yield_reason::client_stopping);
        CHECK(me.valid());
        auto const at_once = co_await me.asked_to_yield();
        CHECK(at_once == yield_reason::client_stopping);
        co_await me.resign();
        auto const empty = co_await error_of(me.asked_to_yield(use_awaitable));
        CHECK(empty == errc::empty_lease);
    });
}

TEST_CASE("lead() runs its body while it leads, resigns, and stops it on loss", "[election]")
{
    three_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto const body = [&](leadership& me) -> awaitable<std::uint64_t> {
            auto const now = co_await t.c.current();
            REQUIRE(now);
            CHECK(now->term == me.term());
            co_return me.term();
        };
        auto const term = co_await lead(t.a, "a", {}, body);
        CHECK(term > 0);
        CHECK_FALSE(t.world.exists("boss"));

        bool was_cancelled = false;
        auto const stuck = [&](leadership&) -> awaitable<void> {
            t.world.server().execute({"DEL", "boss"});
            error_code ec;
            co_await t.world.at("A").sleep(60s, asio::redirect_error(use_awaitable, ec));
            was_cancelled = ec == asio::error::operation_aborted;
        };
        auto const lost = co_await error_of(lead(t.a, "a", {}, stuck));
        CHECK(lost == errc::lease_lost);
        CHECK(was_cancelled);

        auto me = co_await t.b.campaign("b");
        auto const busy = co_await error_of(lead(t.a, "a", {.wait = 10ms}, stuck));
        CHECK(busy == errc::busy);

        auto const throwing = [&](leadership&) -> awaitable<void> {
            throw std::runtime_error("the body");
            co_return;
        };
        co_await me.resign();
        std::string what;
        try {
            co_await lead(t.a, "a", {}, throwing);
        } catch (std::runtime_error const& e) {
            what = e.what();
        }
        CHECK(what == "the body");
        CHECK_FALSE(t.world.exists("boss"));
    });
}

}  // namespace
}  // namespace holdfast::test
