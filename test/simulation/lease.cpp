//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What a lease reports, and when: release, extension, and the steps to a loss: held, at risk, lost.

#include <boost/asio/bind_executor.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "support/redirect.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// A client holds "m" when the test begins.
struct holding : arena {
    explicit holding(acquire_options o = {})
    {
        run([&]() -> awaitable<void> { held = co_await mutex(own, "m").acquire(o); });
    }

    holdfast::client& own = client();
    lease held;
};

TEST_CASE("a lease is held until its release, and later operations on it complete as empty_lease", "[lease]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto l = co_await m.acquire();
        CHECK(l.valid());
        CHECK(l.state() == lease_state::held);
        CHECK(l.name() == "m");
        CHECK(l.hold_count() == 1);
        CHECK_FALSE(l.owner());
        CHECK_FALSE(l.fencing_token());
        CHECK(a.exists("m"));

        co_await l.release();
        CHECK(l.empty());
        CHECK(l.state() == lease_state::empty);
        CHECK_FALSE(a.exists("m"));

        error_code ec;
        co_await l.release(redirect(ec));
        CHECK(ec == errc::empty_lease);
        co_await l.extend(1s, redirect(ec));
        CHECK(ec == errc::empty_lease);
        co_await l.lost(redirect(ec));
        CHECK(ec == errc::empty_lease);
    });
    CHECK(c.stats().acquired == 1);
    CHECK(c.stats().held == 0);
}

TEST_CASE("a lease is released when destroyed, when assigned to, or when its release is never launched", "[lease]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m"), n(c, "n");
        {
            auto l = co_await m.acquire();
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("m"));

        auto l = co_await m.acquire();
        l = co_await n.acquire();
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("m"));
        CHECK(a.exists("n"));

        {
            auto operation = l.release();  // and never launched
            CHECK(l.empty());
            CHECK(a.exists("n"));
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("n"));
    });
}

TEST_CASE("a lease is renewed after each third of its lease time and stays valid", "[lease][renewal]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        a.commands();
        co_await a.sleep(10s);
        CHECK(a.held.valid());
        CHECK(a.exists("m"));
        auto const sent = std::ranges::count(a.commands(), std::string("EVALSHA"));
        CHECK(sent >= 9);
        CHECK(sent <= 11);
    });
}

TEST_CASE("a lease without renewal expires, and lost() completes before its validity ends", "[lease][loss]")
{
    holding a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        auto const end = validity(a.held);
        auto const why = co_await a.held.lost();
        CHECK(why == loss::expired);
        CHECK(a.now() <= end);
        CHECK(a.now() > end - 100ms);
        CHECK(a.held.state() == lease_state::lost);
        CHECK_FALSE(a.held);
        error_code ec;
        co_await a.held.release(redirect(ec));
        CHECK(ec == errc::lease_lost);
    });
    CHECK(a.own.stats().lost == 1);
}

TEST_CASE("lost() completes as released after a release and reports client_stopped after stop()", "[lease][loss]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto l = co_await m.acquire();
        error_code released;
        bool notified = false;
        a.spawn([&]() -> awaitable<void> {
            co_await l.lost(redirect(released));
            notified = true;
        });
        co_await a.sleep(10ms);
        co_await l.release();
        co_await a.sleep(10ms);
        CHECK(notified);
        CHECK(released == errc::released);

        auto k = co_await mutex(d, "k").acquire();
        d.stop();
        auto const first = co_await k.lost();
        CHECK(first == loss::client_stopped);
        auto const second = co_await k.lost();
        CHECK(second == loss::client_stopped);
        CHECK_FALSE(k.valid());
        CHECK(a.exists("k"));  // nothing deletes a key under a running holder
    });
}

// After that any thread may destroy these leases, but a grant may only be used on the client's strand.
TEST_CASE("a client that stops detaches the remaining leases from their grants", "[lease]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "held").acquire();
        auto lost = co_await mutex(c, "lost").acquire({.lease = 100ms});
        read_write_lock doc(c, "d");
        auto one = co_await doc.read().acquire();
        auto other = co_await doc.read().acquire();
        co_await a.sleep(200ms);
        for (auto* l : {&held, &lost, &one, &other})
            CHECK(tenure_of(*l).held_grant);
        c.stop();
        co_await a.sleep(1ms);
        for (auto* l : {&held, &lost, &one, &other}) {
            CHECK(l->state() == lease_state::lost);
            CHECK_FALSE(tenure_of(*l).held_grant);
        }
        auto const ec = co_await error_of(held.release(use_awaitable));
        CHECK(ec == errc::lease_lost);
    });
}

TEST_CASE("the next renewal after a key was deleted reports the lease as lost", "[lease][loss]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(100ms);
        a.server().execute({"DEL", "m"});
        auto const end = validity(a.held);
        auto const why = co_await a.held.lost();
        CHECK(why == loss::key_missing);
        CHECK(a.now() < end);
        CHECK_FALSE(a.exists("m"));  // a renewal never creates a key
    });
}

TEST_CASE("with a silent server a lease is first at risk and lost no later than its validity ends", "[lease][loss]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(100ms);
        a.server().pause();
        co_await a.sleep(2s);
        CHECK(a.held.state() == lease_state::at_risk);
        CHECK(a.held.valid());
        auto const end = validity(a.held);
        auto const why = co_await a.held.lost();
        CHECK(why == loss::expired);
        CHECK(a.now() <= end);
        a.server().resume();
    });
    CHECK(a.own.stats().at_risk >= 1);
}

TEST_CASE("a lease at risk is held again when the server replies before its validity ends", "[lease][loss]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(100ms);
        a.server().pause_for(1800ms);
        co_await a.sleep(1700ms);
        CHECK(a.held.state() == lease_state::at_risk);
        co_await a.sleep(800ms);
        CHECK(a.held.state() == lease_state::held);
        co_await a.sleep(5s);
        CHECK(a.held.valid());
    });
}

TEST_CASE(
    "a lease whose process was paused beyond its validity is lost as soon as the process continues", "[lease][loss]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(900ms);
        a.at("A").pause_for(5s);
        co_await a.sleep(200ms);
        // The first check after the process continues: no timer needs to run before it.
        CHECK_FALSE(a.held.valid());
        CHECK(a.held.state() == lease_state::lost);
        auto const why = co_await a.held.lost();
        CHECK(why == loss::expired);
    });
}

TEST_CASE("an extension whose reply is read after the validity has ended completes as lease_lost", "[lease][loss]")
{
    holding a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        co_await a.held.extend(1s);  // from here on the server has the script
        co_await a.sleep(900ms);
        // The process pauses when the command has been sent, and reads the reply when it continues.
        a.world().at(a.now() + 50us, [&] { a.at("A").pause_for(500ms); });
        auto const ec = co_await error_of(a.held.extend(5s, use_awaitable));
        CHECK(ec == errc::lease_lost);
        CHECK_FALSE(a.held.valid());
    });
}

TEST_CASE("max_hold ends a renewed lease", "[lease][loss]")
{
    holding a({.max_hold = 7s});
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        auto const why = co_await a.held.lost();
        CHECK(why == loss::max_hold);
        CHECK(a.now() - start <= 7s + 10ms);
        CHECK(a.now() - start >= 6s + 800ms);
        error_code ec;
        co_await a.held.extend(1s, redirect(ec));
        CHECK(ec == errc::lease_lost);
    });
}

TEST_CASE("the client acquires again when a grant arrives after its validity has ended", "[lease]")
{
    arena a;
    auto config = arena::quick();
    config.command_timeout = 10s;
    auto& c = a.client("A", config);
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().pause_for(1500ms);
        auto l = co_await mutex(c, "m").acquire({.lease = 1s});
        CHECK(l.valid());
        CHECK(validity(l) > a.now() + 900ms);
    });
    CHECK(c.stats().acquired == 1);
}

TEST_CASE("the key of a lost lease is deleted when the lease is destroyed, not before", "[lease][loss]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        {
            auto l = co_await mutex(c, "m").acquire({.lease = 10min, .renew = true, .max_hold = 1s});
            auto const why = co_await l.lost();
            CHECK(why == loss::max_hold);
            co_await a.sleep(5s);
            CHECK(a.exists("m"));  // never under a running holder
        }
        co_await a.sleep(10ms);
        CHECK_FALSE(a.exists("m"));
    });
}

TEST_CASE(
    "a lease is lost when another holder has taken over its key, and the key is left unchanged", "[lease][renewal]")
{
    for (bool reentrant : {false, true}) {
        arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            lease l;
            if (reentrant)
                l = co_await reentrant_lock(c, "m", c.make_owner()).acquire();
            else
                l = co_await mutex(c, "m").acquire();
            a.server().execute({"DEL", "m"});
            if (reentrant)
                a.server().execute({"HSET", "m", "another:1", "1"});
            else
                a.server().execute({"SET", "m", "another"});
            a.server().execute({"PEXPIRE", "m", "100000"});
            auto const why = co_await l.lost();
            CHECK(why == loss::key_missing);
            {
                auto const destroyed = std::move(l);
            }
            co_await a.sleep(1s);
            CHECK(a.server().execute({"PTTL", "m"}).integer > 90'000);
        });
    }
}

TEST_CASE("extend() lengthens, never shortens, and refuses durations of zero or beyond max_hold", "[lease][extend]")
{
    holding a({.lease = 1s});
    a.run([&]() -> awaitable<void> {
        co_await a.held.extend(5s);
        auto const end = validity(a.held);
        CHECK(end > a.now() + 4s);
        co_await a.held.extend(200ms);
        CHECK(validity(a.held) == end);
        co_await a.sleep(4s);
        CHECK(a.held.valid());
        CHECK(a.exists("m"));

        error_code ec;
        co_await a.held.extend(0ms, redirect(ec));
        CHECK(ec == errc::invalid_option);
        CHECK(a.own.last_failure().message.find("extend") != std::string::npos);

        auto capped = co_await mutex(a.own, "n").acquire({.max_hold = 2s});
        co_await capped.extend(10s, redirect(ec));
        CHECK(ec == errc::invalid_option);

        a.server().execute({"DEL", "m"});
        co_await a.held.extend(1s, redirect(ec));
        CHECK(ec == errc::lease_lost);
        CHECK(a.held.state() == lease_state::lost);
    });
}

TEST_CASE("renewals do not shorten a longer extension of the lease", "[lease][extend]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.held.extend(60s);
        auto const end = validity(a.held);
        co_await a.sleep(10s);
        CHECK(validity(a.held) == end);
        CHECK(a.server().execute({"PTTL", "m"}).integer > 45'000);
    });
}

TEST_CASE("a key of another type does not stop the renewal of the client's other leases", "[lease][renewal]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto x = co_await mutex(c, "x").acquire();
        auto y = co_await mutex(c, "y").acquire();
        auto z = co_await mutex(c, "z").acquire();
        a.server().execute({"DEL", "x"});
        a.server().execute({"HSET", "x", "foreign", "1"});
        auto const why = co_await x.lost();
        CHECK(why == loss::key_missing);
        co_await a.sleep(10s);
        CHECK(y.valid());
        CHECK(z.valid());
        CHECK(a.exists("x"));
    });
}

TEST_CASE("a lease whose handler never runs is not renewed", "[lease][renewal]")
{
    arena a;
    auto& c = a.client();
    mutex m(c, "m");
    // The handler's executor belongs to a paused process.
    a.run([&]() -> awaitable<void> { co_await c.ready(); });
    a.at("B").pause();
    lease other;
    a.run([&]() -> awaitable<void> { other = co_await mutex(c, "other").acquire(); });
    a.commands();
    m.acquire(asio::bind_executor(a.at("B").get_executor(), [](error_code, lease) {}));
    a.run([&]() -> awaitable<void> { co_await a.sleep(100ms); });
    CHECK(a.exists("m"));
    a.run([&]() -> awaitable<void> { co_await a.sleep(4s); });
    CHECK_FALSE(a.exists("m"));
    CHECK(other.valid());
    CHECK(c.stats().at_risk == 0);  // this is no sign of a bad connection
    a.at("B").resume();
}

TEST_CASE("a re-entry that is handed out after a renewal of its grant is valid for as long", "[lease][renewal]")
{
    arena a;
    auto& c = a.client();
    auto lasting = arena::quick();
    lasting.lease = 1min;
    auto& d = a.client("A", lasting, "other");
    a.run([&]() -> awaitable<void> {
        reentrant_lock r(c, "r", c.make_owner());
        auto outer = co_await r.acquire();
        auto const first_end = validity(outer);
        co_await d.ready();
        co_await a.sleep(900ms);
        // Meanwhile the member's hold of "r" waits for the other member, and its grant is renewed.
        a.server("other").pause_for(300ms);
        auto const inner = co_await multi_lock(r, mutex(d, "m")).acquire();
        CHECK(validity(outer) > first_end + 900ms);
        CHECK(inner.valid());
        CHECK(inner.valid_until() > outer.valid_until() - 1ms);  // two readings of the clock differ a little
    });
}

TEST_CASE("a re-entry whose handler never runs expires after the outer lease was released", "[lease][renewal]")
{
    arena a;
    auto& c = a.client();
    reentrant_lock r(c, "r", c.make_owner());
    lease outer;
    a.run([&]() -> awaitable<void> { outer = co_await r.acquire(); });
    a.at("B").pause();
    auto state = lease_state::empty;
    r.acquire(asio::bind_executor(a.at("B").get_executor(), [&](error_code, lease late) { state = late.state(); }));
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(10s);
        CHECK(outer.valid());
        CHECK(outer.hold_count() == 2);
        co_await outer.release();
        CHECK(a.exists("r"));  // the handler may run yet
        co_await a.sleep(4s);
        CHECK_FALSE(a.exists("r"));
        CHECK(c.stats().held == 0);
        CHECK(c.stats().lost == 1);
        a.at("B").resume();
        co_await a.sleep(100ms);
        CHECK(state == lease_state::lost);
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE("fencing tokens grow across releases and expiries, and a re-entry has the same token", "[lease][fencing]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m", {.fencing = true});
        auto const me = c.make_owner();
        reentrant_lock r(c, "r", me, {.fencing = true});
        std::uint64_t last = 0;
        for (int i = 0; i < 5; ++i) {
            auto l = co_await m.acquire({.lease = 200ms});
            CHECK(*l.fencing_token() > last);
            last = *l.fencing_token();
            if (i % 2 == 0)
                co_await a.sleep(300ms);
        }
        auto outer = co_await r.acquire();
        auto inner = co_await r.acquire();
        CHECK(outer.fencing_token() == inner.fencing_token());  // a re-entry is not a new grant
        CHECK(a.server().execute({"PTTL", "redisson_lock_token:{r}"}).integer == -1);
        CHECK(a.server().execute({"PTTL", "holdfast_fence:{m}"}).integer > 80'000'000);
    });
}

TEST_CASE("after a release the client keeps no state and sends no command", "[lease]")
{
    holding a;
    a.run([&]() -> awaitable<void> {
        co_await a.sleep(1s);
        co_await a.held.release();
        a.commands();
        co_await a.sleep(30s);
        CHECK(a.commands().empty());
        CHECK(a.census(a.own) == engine::client_engine::census{});
    });
}

}  // namespace
}  // namespace holdfast::test
