//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Each hold of a grant has terms of its own: its lease time, its max_hold, its renewal, its end.

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// A client whose owner holds "r" when the test begins.
struct held_lock : arena {
    explicit held_lock(acquire_options o = {})
    {
        run([&]() -> awaitable<void> { outer = co_await r.acquire(o); });
    }

    std::int64_t pttl() { return server().execute({"PTTL", "r"}).integer; }

    holdfast::client& c = client();
    reentrant_lock r{c, "r", c.make_owner("me")};
    lease outer;
};

TEST_CASE("a re-entry does not extend the max_hold of the outer hold", "[hold_terms]")
{
    held_lock a({.max_hold = 2s});
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        auto inner = co_await a.r.acquire();
        auto const why = co_await a.outer.lost();
        CHECK(why == loss::max_hold);
        CHECK(a.now() - start <= 2s);
        co_await a.sleep(5s);
        CHECK(inner.valid());
        CHECK(inner.hold_count() == 1);
        CHECK(a.r.is_held());
        co_await inner.release();
        CHECK_FALSE(a.r.is_held());
    });
}

TEST_CASE("an outer lease without renewal ends at its own time while a renewed inner hold continues", "[hold_terms]")
{
    held_lock a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        auto const end = validity(a.outer);
        auto inner = co_await a.r.acquire();
        CHECK(validity(a.outer) == end);
        auto const why = co_await a.outer.lost();
        CHECK(why == loss::expired);
        CHECK(a.now() <= end);
        co_await a.sleep(10s);
        CHECK(inner.valid());
        auto const of_outer = co_await error_of(a.outer.release(use_awaitable));
        CHECK(of_outer == errc::lease_lost);
        CHECK(inner.valid());
        CHECK(a.exists("r"));
        co_await inner.release();
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("the client stops renewing a grant when its only renewed hold is released", "[hold_terms]")
{
    held_lock a({.lease = 4s});
    a.run([&]() -> awaitable<void> {
        auto inner = co_await a.r.acquire();
        co_await inner.release();
        a.commands();
        co_await a.sleep(3s);  // three times the renewal interval
        CHECK(a.outer.valid());
        CHECK(a.commands().empty());
        co_await a.sleep(1s);
        CHECK_FALSE(a.outer.valid());
        a.commands();
        co_await a.sleep(5s);
        CHECK(a.commands().empty());
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("the lease time or max_hold of an inner hold ends only that hold", "[hold_terms]")
{
    held_lock a;
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        auto capped = co_await a.r.acquire({.max_hold = 1s});
        auto fixed = co_await a.r.acquire({.lease = 500ms});
        CHECK(a.outer.hold_count() == 3);
        auto const of_fixed = co_await fixed.lost();
        CHECK(of_fixed == loss::expired);
        CHECK(a.now() - start <= 500ms);
        auto const of_capped = co_await capped.lost();
        CHECK(of_capped == loss::max_hold);
        CHECK(a.now() - start <= 1s);
        CHECK(a.outer.hold_count() == 1);
        co_await a.sleep(5s);
        CHECK(a.outer.valid());
    });
    CHECK(a.c.stats().lost == 2);
}

TEST_CASE("an extension moves only the end of its own hold", "[hold_terms]")
{
    held_lock a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        auto inner = co_await a.r.acquire({.lease = 900ms});
        auto const of_inner = validity(inner);
        co_await a.outer.extend(5s);
        CHECK(validity(a.outer) > a.now() + 4s);
        CHECK(validity(inner) == of_inner);
        auto const of_outer = validity(a.outer);
        co_await inner.extend(10s);
        CHECK(validity(a.outer) == of_outer);
        CHECK(validity(inner) > a.now() + 9s);
    });
}

TEST_CASE(
    "the key stays until the lease of a lost hold is destroyed, even if the valid hold is released", "[hold_terms]")
{
    held_lock a({.lease = 500ms});
    a.run([&]() -> awaitable<void> {
        auto inner = co_await a.r.acquire();
        co_await a.sleep(1s);
        CHECK_FALSE(a.outer.valid());
        co_await inner.release();
        CHECK_FALSE(a.r.is_held());
        co_await a.sleep(10ms);
        CHECK(a.exists("r"));
        a.outer = lease();
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("a waiter acquires the lock only when both the lost hold and the valid hold have ended", "[hold_terms]")
{
    held_lock a({.lease = 500ms});
    a.run([&]() -> awaitable<void> {
        auto inner = co_await a.r.acquire();
        lease next;
        a.spawn(
            [&]() -> awaitable<void> { next = co_await reentrant_lock(a.c, "r", a.c.make_owner("next")).acquire(); });
        co_await a.sleep(1s);
        co_await inner.release();
        co_await a.sleep(10ms);
        CHECK(next.empty());  // the body of the lost hold continues
        a.outer = lease();
        co_await a.sleep(100ms);
        CHECK(next.valid());
    });
}

// ---- which lease time the client requests from the server

TEST_CASE("renewals use the lease time of a longer re-entry until that re-entry is released", "[hold_terms]")
{
    held_lock a({.lease = 200ms, .renew = true});
    a.run([&]() -> awaitable<void> {
        auto inner = co_await a.r.acquire({.lease = 30s, .renew = true});
        CHECK(validity(inner) > a.now() + 29s);
        co_await a.sleep(20s);
        CHECK(a.pttl() > 15'000);
        co_await inner.release();
        co_await a.sleep(40s);
        CHECK(a.outer.valid());
        CHECK(a.pttl() <= 200);
    });
}

// The handler of the outer acquire runs after a re-entry has extended the grant.
TEST_CASE("a renewed hold whose handler runs late follows the validity of its extended grant", "[hold_terms]")
{
    arena a;
    auto& c = a.client();
    asio::io_context elsewhere;
    a.run([&]() -> awaitable<void> {
        reentrant_lock const r(c, "r", c.make_owner());
        lease outer;
        r.acquire(asio::bind_executor(elsewhere, [&](error_code, lease l) { outer = std::move(l); }));
        co_await a.sleep(100ms);
        auto const inner = co_await r.acquire({.lease = 30s, .renew = true});
        elsewhere.run();
        REQUIRE(outer.valid());
        co_await a.sleep(20s);
        CHECK(outer.valid());
        CHECK(inner.valid());
    });
}

TEST_CASE("the client repeats a release for as long as an extension may keep the key", "[hold_terms]")
{
    held_lock a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        co_await a.outer.extend(60s);
        a.server().faults = {.lose_request = 1, .refuse_connect = 1};
        auto const unanswered = co_await error_of(a.outer.release(use_awaitable));
        CHECK(unanswered == errc::unavailable);
        co_await a.sleep(10s);
        CHECK(a.exists("r"));
        a.server().faults = {};
        co_await a.sleep(5s);
        CHECK_FALSE(a.exists("r"));
    });
}

TEST_CASE("the client repeats a release for as long as an unanswered extension may keep the key", "[hold_terms]")
{
    held_lock a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        co_await a.outer.extend(900ms);  // the server knows the script
        a.server().faults = {.lose_reply = 1, .refuse_connect = 1};
        auto const extension = co_await error_of(a.outer.extend(60s, use_awaitable));
        CHECK(extension == errc::unavailable);
        CHECK(a.pttl() > 50'000);
        a.outer = lease();
        co_await a.sleep(10s);
        CHECK(a.exists("r"));
        a.server().faults = {};
        co_await a.sleep(5s);
        CHECK_FALSE(a.exists("r"));
    });
}

// ---- a re-entry that waits for an extension

TEST_CASE("a re-entry that times out without a reply to its extension completes as unavailable", "[hold_terms]")
{
    held_lock a;
    a.run([&]() -> awaitable<void> {
        a.server().pause();
        auto const start = a.now();
        auto const waited = co_await error_of(a.r.try_acquire({.wait = 100ms, .lease = 30s}, use_awaitable));
        CHECK(waited == errc::unavailable);
        CHECK(a.now() - start == 100ms);
        auto const once = co_await error_of(a.r.try_acquire({.lease = 30s}, use_awaitable));
        CHECK(once == errc::unavailable);
        CHECK(a.now() - start <= 100ms + arena::quick().command_timeout);
        CHECK(a.outer.valid());
        CHECK(a.outer.hold_count() == 1);
        a.server().resume();
        co_await a.sleep(1s);
        CHECK(a.outer.valid());
    });
    CHECK(a.c.stats().waiting == 0);
}

TEST_CASE(
    "a re-entry whose wait time is shorter than the round trip of its extension completes as busy", "[hold_terms]")
{
    arena a({.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        reentrant_lock const r(c, "r", c.make_owner());
        auto const outer = co_await r.acquire({.lease = 1s});
        auto const inner = co_await r.try_acquire({.wait = 1ms, .lease = 30s});
        CHECK(inner.empty());
        CHECK(outer.hold_count() == 1);
    });
}

TEST_CASE("a multi_lock re-entry whose wait time is shorter than a round trip completes as busy", "[hold_terms]")
{
    arena a({.world = {.fifo = true}, .network = {.delay = {5ms, 5ms}}});
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        multi_lock const both(reentrant_lock(c, "r", me), reentrant_lock(c, "s", me));
        auto const outer = co_await both.acquire({.lease = 1s});
        auto const inner = co_await both.try_acquire({.wait = 1ms, .lease = 30s});
        CHECK(inner.empty());
        CHECK(outer.valid());
    });
}

TEST_CASE("a re-entry whose first extension command gets no reply completes as unavailable", "[hold_terms]")
{
    held_lock a({.lease = 30s});
    a.run([&]() -> awaitable<void> {
        a.server().faults = {.lose_reply = 1};
        auto const waited = co_await error_of(a.r.try_acquire({.wait = 605ms, .lease = 60s}, use_awaitable));
        CHECK(waited == errc::unavailable);
        a.server().faults = {};
        co_await a.sleep(1s);
    });
}

TEST_CASE("a cancelled re-entry that waits for an extension completes at once", "[hold_terms]")
{
    held_lock a;
    a.run([&]() -> awaitable<void> {
        a.server().pause();
        asio::cancellation_signal signal;
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(50ms);
            signal.emit(asio::cancellation_type::total);
        });
        auto const start = a.now();
        auto const ec = co_await error_of(
            a.r.acquire({.lease = 30s}, asio::bind_cancellation_slot(signal.slot(), use_awaitable)));
        CHECK(ec == asio::error::operation_aborted);
        CHECK(a.now() - start == 50ms);
        a.server().resume();
        co_await a.sleep(100ms);
        CHECK(a.outer.hold_count() == 1);
    });
}

TEST_CASE("a re-entry that needs an extension survives the loss of the connection", "[hold_terms]")
{
    held_lock a;
    a.run([&]() -> awaitable<void> {
        a.server().faults = {.disconnect = 1, .refuse_connect = 1};
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(1s);
            a.server().faults = {};
        });
        auto inner = co_await a.r.try_acquire({.wait = 20s, .lease = 30s});
        CHECK(validity(inner) > a.now() + 29s);
        CHECK(inner.hold_count() == 2);
        CHECK(a.outer.valid());
    });
}

TEST_CASE(
    "a re-entry whose hold ends in an outage completes as owner_in_use and leaves no state behind", "[hold_terms]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        read_write_lock doc(c, "d", c.make_owner("me"));
        auto reader = co_await doc.read().acquire({.lease = 1s});
        a.server().faults = {.disconnect = 1, .refuse_connect = 1};
        co_await a.sleep(1ms);
        error_code entered;
        lease writer;
        a.spawn([&]() -> awaitable<void> {
            entered = co_await error_of(doc.read().acquire({.lease = 30s}, use_awaitable));
        });
        co_await a.sleep(1ms);
        reader = lease();
        a.spawn([&]() -> awaitable<void> { writer = co_await doc.write().acquire(); });
        co_await a.sleep(1ms);
        a.server().faults = {};
        co_await a.sleep(5s);
        CHECK(entered == errc::owner_in_use);
        CHECK(writer.valid());
        writer = lease();
        co_await a.sleep(5s);
    });
    CHECK(a.census(c) == engine::client_engine::census{});
}

TEST_CASE("a re-entry that waits for an extension acquires the lock anew when its hold is lost", "[hold_terms]")
{
    held_lock a({.lease = 500ms});
    a.run([&]() -> awaitable<void> {
        a.server().pause_for(2s);
        auto inner = co_await a.r.acquire({.lease = 30s});
        CHECK_FALSE(a.outer.valid());
        CHECK(inner.valid());
        CHECK(inner.hold_count() == 1);
        CHECK(validity(inner) > a.now() + 29s);
    });
}

TEST_CASE("a re-entry that waits for an extension completes as client_stopped when the client stops", "[hold_terms]")
{
    held_lock a;
    a.run([&]() -> awaitable<void> {
        a.server().pause();
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(50ms);
            a.c.stop();
        });
        auto const ec = co_await error_of(a.r.acquire({.lease = 30s}, use_awaitable));
        CHECK(ec == errc::client_stopped);
        a.server().resume();
    });
    CHECK(a.census(a.c).arbiters == 0);
}

}  // namespace
}  // namespace holdfast::test
