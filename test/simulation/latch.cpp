//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The latch with the whole client: counts, waits, lost replies, messages and connections.

#include <algorithm>
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

// Processes "A" and "B" use one latch.
struct two_processes {
    arena world;
    client& home = world.client("B", patient());
    latch a{world.client("A"), "parts"};
    latch b{home, "parts"};
    int opened = 0, removed = 0;
    error_code last;

    // Without messages, B would notice nothing for a minute.
    static config patient()
    {
        auto c = arena::quick();
        c.poll_interval = 1min;
        return c;
    }

    awaitable<void> wait(latch_wait_options o = {})
    {
        auto const is_open = co_await b.wait(o, asio::redirect_error(use_awaitable, last));
        opened += is_open ? 1 : 0;
        removed += last == errc::latch_removed ? 1 : 0;
    }

    // What it does reaches B as one message, at its end: B reads the latch once.
    template <class Changes>
    awaitable<void> unseen(Changes changes)
    {
        auto& server = world.server();
        server.faults.drop_push = 1;
        co_await changes();
        server.faults.drop_push = 0;
        server.execute({"PUBLISH", "redisson_countdownlatch__channel__{parts}", "1"});
        co_await world.sleep(100ms);
    }
};

TEST_CASE("a latch opens for all that wait when the last one has counted", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto const is_set = co_await t.a.set(3);
        CHECK(is_set);
        auto const again = co_await t.b.set(5);
        CHECK_FALSE(again);
        for (int i = 0; i < 10; ++i)
            t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        CHECK(t.world.census(t.home).channels == 1);
        auto left = co_await t.a.count_down();
        CHECK(left == 2);
        left = co_await t.a.count();
        CHECK(left == 2);
        co_await t.world.sleep(100ms);
        CHECK(t.opened == 0);
        left = co_await t.a.count_down(2);
        CHECK(left == 0);
        co_await t.world.sleep(10ms);
        CHECK(t.opened == 10);
        CHECK_FALSE(t.world.exists("parts"));
        left = co_await t.a.count_down();
        CHECK(left == 0);
        co_await t.world.sleep(3s);
        CHECK(t.world.census(t.home) == engine::client_engine::census{0, 0, 0, 0});
    });
}

TEST_CASE("a latch that does not exist is open, and a count below 0 opens it, too", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto is_open = co_await t.a.wait();
        CHECK(is_open);
        co_await t.a.set(1);
        auto const left = co_await t.a.count_down(7);
        CHECK(left == 0);
        is_open = co_await t.a.wait({.wait = 0ms});
        CHECK(is_open);
    });
}

TEST_CASE("a wait with a limit ends, and 0 asks once", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        auto const at = t.world.now();
        auto is_open = co_await t.a.wait({.wait = 0ms});
        CHECK_FALSE(is_open);
        CHECK(t.world.now() - at < 20ms);
        is_open = co_await t.a.wait({.wait = 2s});
        CHECK_FALSE(is_open);
        CHECK(t.world.now() - at >= 2s);
        CHECK(t.world.now() - at < 2100ms);
    });
}

TEST_CASE("a wait whose latch was set anew in between has seen it open", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        // The two messages arrive while the server does not answer B.
        auto& server = t.world.server();
        server.execute({"DEL", "parts"});
        co_await t.a.set(1);
        co_await t.world.sleep(100ms);
        CHECK(t.opened == 1);
    });
}

TEST_CASE("a latch that is removed ends all waits at once, and those that begin before it is set again", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(2);
        for (int i = 0; i < 10; ++i)
            t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        auto const was_closed = co_await t.a.remove();
        CHECK(was_closed);
        co_await t.world.sleep(10ms);
        CHECK(t.removed == 10);
        CHECK(t.opened == 0);
        CHECK_FALSE(t.world.exists("parts"));
        CHECK_FALSE(t.world.exists("holdfast_latch_steps:{parts}"));

        auto const late = co_await error_of(t.b.wait({.wait = 1s}, use_awaitable));
        CHECK(late == errc::latch_removed);
        auto left = co_await t.b.count();
        CHECK(left == 0);
        left = co_await t.b.count_down();
        CHECK(left == 0);
        auto const again = co_await t.b.remove();
        CHECK_FALSE(again);

        auto const is_set = co_await t.a.set(1);
        CHECK(is_set);
        auto is_open = co_await t.b.wait({.wait = 0ms});
        CHECK_FALSE(is_open);
        co_await t.a.count_down();
        is_open = co_await t.b.wait();
        CHECK(is_open);
        co_await t.world.sleep(3s);
        CHECK(t.world.census(t.home) == engine::client_engine::census{0, 0, 0, 0});
    });
}

TEST_CASE("a latch that is open cannot be removed, and stays open", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto was_closed = co_await t.a.remove();
        CHECK_FALSE(was_closed);
        co_await t.a.set(1);
        co_await t.a.count_down();
        was_closed = co_await t.a.remove();
        CHECK_FALSE(was_closed);
        auto const is_open = co_await t.b.wait();
        CHECK(is_open);
    });
}

TEST_CASE("a wait whose latch was removed in between never seems done, however often it was set since", "[latch]")
{
    for (int const rounds : {1, 2, 3}) {
        CAPTURE(rounds);
        two_processes t;
        t.world.run([&]() -> awaitable<void> {
            co_await t.a.set(1);
            t.world.spawn(t.wait(), "B");
            co_await t.world.sleep(100ms);
            co_await t.unseen([&]() -> awaitable<void> {
                co_await t.a.remove();
                for (int i = 1; i < rounds; ++i) {
                    co_await t.a.set(1);
                    co_await t.a.count_down();
                }
                co_await t.a.set(1);
            });
            CHECK(t.removed == 1);
            CHECK(t.opened == 0);
            // The new latch has waiters of its own.
            t.world.spawn(t.wait(), "B");
            co_await t.world.sleep(100ms);
            co_await t.unseen([&]() -> awaitable<void> {
                co_await t.a.count_down();
                co_await t.a.set(1);
            });
            CHECK(t.removed == 1);
            CHECK(t.opened == 1);
        });
    }
}

TEST_CASE("a removal that no message tells is found when the latch is read again, for a day", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        t.world.server().faults.drop_push = 1;
        co_await t.a.remove();
        co_await t.world.sleep(2min);
        CHECK(t.removed == 1);
        co_await t.world.sleep(23h + 50min);
        auto const ec = co_await error_of(t.b.wait(use_awaitable));
        CHECK(ec == errc::latch_removed);
        co_await t.world.sleep(10min);
        auto const is_open = co_await t.b.wait();
        CHECK(is_open);
    });
}

TEST_CASE("a latch that Redisson has set is removed, and one that it sets again opens", "[latch]")
{
    two_processes t;
    auto& server = t.world.server();
    t.world.run([&]() -> awaitable<void> {
        co_await t.home.ready();
        server.execute({"SET", "parts", "2"});
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        auto const was_closed = co_await t.a.remove();
        CHECK(was_closed);
        co_await t.world.sleep(10ms);
        CHECK(t.removed == 1);
        // Redisson does not know the mark of the removal.
        server.execute({"SET", "parts", "1"});
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        CHECK(t.removed == 1);
        auto const left = co_await t.a.count_down();
        CHECK(left == 0);
        co_await t.world.sleep(10ms);
        CHECK(t.opened == 1);
    });
}

TEST_CASE("a latch does not expire while a task waits for it", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(2);
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(72h);
        CHECK(t.opened == 0);
        auto const left = co_await t.a.count_down(2);
        CHECK(left == 0);
        co_await t.world.sleep(10ms);
        CHECK(t.opened == 1);
    });
}

TEST_CASE("a wait goes on over the day after its latch was set, if a task has counted meanwhile", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(2);
        co_await t.world.sleep(23h + 30min);
        co_await t.a.count_down();
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(2h);
        CHECK(t.opened == 0);
        CHECK(t.world.exists("parts"));
    });
}

TEST_CASE("a count whose reply is lost counts once", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(100);
        auto& server = t.world.server();
        server.faults = {.lose_reply = 0.3};
        int counted = 0, unknown = 0;
        for (int i = 0; i < 20; ++i) {
            error_code ec;
            co_await t.a.count_down(asio::redirect_error(use_awaitable, ec));
            ++(ec ? unknown : counted);
        }
        server.faults = {};
        co_await t.world.sleep(5s);
        auto const left = static_cast<int>(co_await t.b.count());
        CHECK(left <= 100 - counted);
        CHECK(left >= 100 - counted - unknown);
    });
}

TEST_CASE("a repeated count is known to the server", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(11);
        co_await t.a.count_down();  // the server has the script
        auto options = arena::quick();
        options.command_timeout = 20s;
        auto& c = t.world.client("C", options);
        co_await c.ready();
        auto& server = t.world.server();
        server.faults = {.lose_reply = 1};
        error_code ec;
        bool done = false;
        auto const count = [&]() -> awaitable<void> {
            co_await latch(c, "parts").count_down(asio::redirect_error(use_awaitable, ec));
            done = true;
        };
        t.world.spawn(count(), "C");
        while (server.execute({"GET", "parts"}).text == "10")
            co_await t.world.sleep(1ms);
        server.faults = {};
        co_await t.world.sleep(15s);
        CHECK(done);
        CHECK_FALSE(ec);
        CHECK(server.execute({"GET", "parts"}).text == "9");
    });
}

TEST_CASE("a lost message is found when the latch is read again", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        latch const quick(t.world.client("C"), "parts");
        bool is_open = false;
        auto const wait = [&]() -> awaitable<void> { is_open = co_await quick.wait(); };
        t.world.spawn(wait(), "C");
        co_await t.world.sleep(100ms);
        t.world.server().faults.drop_push = 1;
        co_await t.a.count_down();
        co_await t.world.sleep(1100ms);
        CHECK(is_open);
    });
}

TEST_CASE("a wait goes on over a restart of the server, and over an outage", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        t.world.server().restart(false, 2s);
        co_await t.world.sleep(8s);
        CHECK(t.opened == 0);
        co_await t.a.count_down();
        co_await t.world.sleep(10ms);
        CHECK(t.opened == 1);
    });
}

TEST_CASE("a cancelled wait, and one whose client stops, leave no subscription", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        co_await t.a.set(1);
        asio::cancellation_signal signal;
        error_code ec;
        auto const wait = [&]() -> awaitable<void> {
            co_await t.b.wait(asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
        };
        t.world.spawn(wait(), "B");
        co_await t.world.sleep(100ms);
        signal.emit(asio::cancellation_type::partial);
        co_await t.world.sleep(3s);
        CHECK(ec == asio::error::operation_aborted);
        CHECK(t.world.census(t.home) == engine::client_engine::census{0, 0, 0, 0});
        t.world.spawn(t.wait(), "B");
        co_await t.world.sleep(100ms);
        t.home.stop();
        co_await t.world.sleep(10ms);
        CHECK(t.last == errc::client_stopped);
    });
}

TEST_CASE("without a server a wait with a limit ends as unavailable", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        t.world.server().restart(true, 1h);
        co_await t.world.sleep(10ms);
        auto const ec = co_await error_of(t.a.wait({.wait = 100ms}, use_awaitable));
        CHECK(ec == errc::unavailable);
    });
}

TEST_CASE("bad input of a latch names the option, and keys of another type change nothing", "[latch]")
{
    two_processes t;
    t.world.run([&]() -> awaitable<void> {
        auto ec = co_await error_of(t.b.set(0, use_awaitable));
        CHECK(ec == errc::invalid_option);
        CHECK(t.home.last_failure().message == R"(lock "parts": count: must not be 0)");
        ec = co_await error_of(t.b.count_down(0, use_awaitable));
        CHECK(ec == errc::invalid_option);
        ec = co_await error_of(t.b.wait({.wait = -1ms}, use_awaitable));
        CHECK(ec == errc::invalid_option);
        ec = co_await error_of(latch(t.home, "").wait(use_awaitable));
        CHECK(ec == errc::invalid_name);
        t.world.server().execute({"SET", "parts", "text"});
        ec = co_await error_of(t.b.set(1, use_awaitable));
        CHECK(ec == errc::wrong_type);
        ec = co_await error_of(t.b.count_down(use_awaitable));
        CHECK(ec == errc::wrong_type);
        ec = co_await error_of(t.b.remove(use_awaitable));
        CHECK(ec == errc::wrong_type);
        ec = co_await error_of(t.b.wait(use_awaitable));
        CHECK(ec == errc::wrong_type);
        ec = co_await error_of(t.b.count(use_awaitable));
        CHECK(ec == errc::wrong_type);
        CHECK(t.world.server().execute({"GET", "parts"}).text == "text");
    });
}

}  // namespace
}  // namespace holdfast::test
