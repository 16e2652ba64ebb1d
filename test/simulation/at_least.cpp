//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The option at_least: a lock stays taken from the grant on, whatever becomes of its holder.

#include <functional>
#include <optional>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// The drift allowance of a rest of two seconds, and the pause before the next attempt of a waiter.
constexpr auto late = 150ms;

struct lock_maker {
    char const* name;
    std::function<any_lock(holdfast::client&)> make;
};

std::vector<lock_maker> lock_makers()
{
    return {
        {"mutex", [](auto& c) { return any_lock(mutex(c, "l")); }},
        {"fenced mutex", [](auto& c) { return any_lock(mutex(c, "l", {.fencing = true})); }},
        {"reentrant_lock", [](auto& c) { return any_lock(reentrant_lock(c, "l", c.make_owner())); }},
        {"fenced reentrant_lock",
         [](auto& c) { return any_lock(reentrant_lock(c, "l", c.make_owner(), {.fencing = true})); }},
        {"fair_lock", [](auto& c) { return any_lock(fair_lock(c, "l")); }},
        {"fenced fair_lock", [](auto& c) { return any_lock(fair_lock(c, "l", {.fencing = true})); }}};
}

std::int64_t pttl(arena& a, std::string_view key)
{
    return a.server().execute({"PTTL", key}).integer;
}

// Waits for the lock in another process, and checks that it is granted when it has been taken for that time.
awaitable<void> wait_for_end(arena& a, any_lock other, core::instant granted, core::duration at_least)
{
    auto const held = co_await other.acquire();
    CHECK(a.now() - granted >= at_least);
    CHECK(a.now() - granted <= at_least + late);
}

TEST_CASE("a lock that is released early stays taken for at_least, and then a waiter acquires it", "[at_least]")
{
    for (auto const& k : lock_makers())
        for (bool const is_destroyed : {false, true}) {
            INFO(k.name << (is_destroyed ? ", destroyed" : ", released"));
            arena a;
            auto const lock = k.make(a.client());
            auto const other = k.make(a.client("B"));
            a.run([&]() -> awaitable<void> {
                auto l = co_await lock.acquire({.at_least = 2s});
                auto const granted = a.now();
                co_await a.sleep(100ms);
                if (is_destroyed)
                    l = {};
                else
                    co_await l.release();
                co_await a.sleep(10ms);
                CHECK(l.empty());
                CHECK(pttl(a, "l") >= 1'880);
                CHECK(pttl(a, "l") <= 1'950);
                bool const is_locked = co_await lock.is_locked();
                CHECK(is_locked);
                auto const tried = co_await other.try_acquire();
                CHECK(tried.empty());
                co_await wait_for_end(a, other, granted, 2s);
            });
        }
}

TEST_CASE("a waiter that began before the early release acquires the lock at the new end", "[at_least]")
{
    for (auto const& k : lock_makers()) {
        INFO(k.name);
        arena a;
        auto config = arena::quick();
        config.lease = 1min;
        config.poll_interval = 1min;
        auto const lock = k.make(a.client("A", config));
        auto const other = k.make(a.client("B", config));
        a.run([&]() -> awaitable<void> {
            auto l = co_await lock.acquire({.at_least = 2s});
            a.spawn([&, granted = a.now()] { return wait_for_end(a, other, granted, 2s); }, "B");
            co_await a.sleep(200ms);
            co_await l.release();
            co_await a.sleep(3s);
        });
    }
}

TEST_CASE("a release after at_least deletes the key at once", "[at_least]")
{
    for (auto const& k : lock_makers()) {
        INFO(k.name);
        arena a;
        auto const lock = k.make(a.client());
        a.run([&]() -> awaitable<void> {
            auto l = co_await lock.acquire({.at_least = 500ms});
            co_await a.sleep(501ms);
            co_await l.release();
            CHECK_FALSE(a.exists("l"));
        });
    }
}

TEST_CASE("a lock stays taken for at_least although its holder is killed", "[at_least]")
{
    for (auto const& k : lock_makers()) {
        INFO(k.name);
        arena a;
        auto const lock = k.make(a.client());
        auto const other = k.make(a.client("B"));
        lease l;
        a.run([&]() -> awaitable<void> { l = co_await lock.acquire({.lease = 300ms, .at_least = 2s}); });
        auto const granted = a.now();
        a.at("A").kill();
        a.run([&]() -> awaitable<void> { co_await wait_for_end(a, other, granted - 2ms, 2s); }, "B");
    }
}

TEST_CASE("a lock stays taken for at_least although its lease is lost before", "[at_least]")
{
    for (auto const& k : lock_makers()) {
        INFO(k.name);
        arena a;
        auto const lock = k.make(a.client());
        auto const other = k.make(a.client("B"));
        a.run([&]() -> awaitable<void> {
            auto l = co_await lock.acquire({.lease = 300ms, .at_least = 2s});
            auto const granted = a.now();
            auto const why = co_await l.lost();
            CHECK(why == loss::expired);
            CHECK(a.now() - granted <= 300ms);
            auto const released = co_await error_of(l.release(use_awaitable));
            CHECK(released == errc::lease_lost);
            co_await wait_for_end(a, other, granted, 2s);
        });
    }
}

TEST_CASE("renewals do not shorten the time for which a lock stays taken", "[at_least]")
{
    arena a;
    mutex m(a.client(), "l");
    a.run([&]() -> awaitable<void> {
        auto l = co_await m.acquire({.lease = 300ms, .renew = true, .at_least = 5s});
        co_await a.sleep(1s);
        CHECK(l.valid());
        CHECK(pttl(a, "l") >= 3'900);
        co_await a.sleep(10s);
        CHECK(l.valid());
        CHECK(pttl(a, "l") <= 300);
        co_await l.release();
        CHECK_FALSE(a.exists("l"));
    });
}

TEST_CASE("of several holds of an owner the one that lasts longest counts", "[at_least]")
{
    arena a;
    auto& c = a.client();
    reentrant_lock r(c, "l", c.make_owner());
    a.run([&]() -> awaitable<void> {
        auto outer = co_await r.acquire({.at_least = 500ms});
        auto inner = co_await r.acquire({.lease = 200ms, .at_least = 5s});
        auto const entered = a.now();
        CHECK(pttl(a, "l") >= 4'990);
        co_await inner.release();
        co_await outer.release();
        CHECK(a.exists("l"));
        co_await wait_for_end(a, any_lock(reentrant_lock(c, "l", c.make_owner())), entered, 5s);
    });
}

TEST_CASE("a re-entry with a shorter at_least does not shorten that of the outer hold", "[at_least]")
{
    arena a;
    auto& c = a.client();
    reentrant_lock r(c, "l", c.make_owner());
    a.run([&]() -> awaitable<void> {
        auto outer = co_await r.acquire({.at_least = 5s});
        auto const granted = a.now();
        for (auto const shorter : {std::optional(500ms), std::optional<std::chrono::milliseconds>()}) {
            auto inner = co_await r.acquire({.at_least = shorter});
            co_await inner.release();
        }
        co_await outer.release();
        co_await wait_for_end(a, any_lock(reentrant_lock(c, "l", c.make_owner())), granted, 5s);
    });
}

TEST_CASE("a re-entry with at_least does not rely on renewals", "[at_least]")
{
    arena a;
    auto& c = a.client();
    reentrant_lock r(c, "l", c.make_owner());
    a.run([&]() -> awaitable<void> {
        auto const outer = co_await r.acquire();
        co_await a.sleep(900ms);  // the renewals keep two seconds at least
        auto const inner = co_await r.acquire({.at_least = 2'900ms});
        CHECK(pttl(a, "l") >= 2'895);
    });
}

TEST_CASE("a grant with at_least is not handed off in the process", "[at_least]")
{
    arena a;
    auto& c = a.client();
    mutex m(c, "l");
    a.run([&]() -> awaitable<void> {
        auto l = co_await m.acquire({.at_least = 1s});
        auto const granted = a.now();
        a.spawn([&]() -> awaitable<void> { co_await wait_for_end(a, m, granted, 1s); });
        co_await a.sleep(100ms);
        co_await l.release();
        co_await a.sleep(2s);
        CHECK(c.stats().handed_off == 0);
    });
}

TEST_CASE("a grant is not handed off to a contender with at_least", "[at_least]")
{
    arena a;
    auto& c = a.client();
    mutex m(c, "l");
    a.run([&]() -> awaitable<void> {
        auto l = co_await m.acquire();
        a.spawn([&]() -> awaitable<void> {
            auto const next = co_await m.acquire({.at_least = 1min});
            CHECK(pttl(a, "l") >= 59'000);
        });
        co_await a.sleep(10ms);
        co_await l.release();
        co_await a.sleep(100ms);
        CHECK(c.stats().handed_off == 0);
        CHECK(pttl(a, "l") >= 59'000);
    });
}

TEST_CASE("a release that is repeated after a lost reply keeps the lock for what is left then", "[at_least]")
{
    arena a;
    auto& c = a.client();
    mutex m(c, "l");
    a.run([&]() -> awaitable<void> {
        auto l = co_await m.acquire({.at_least = 3s});
        auto const granted = a.now();
        a.server().faults.lose_reply = 1;
        auto const ec = co_await error_of(l.release(use_awaitable));
        CHECK((!ec || ec == errc::unavailable));
        a.server().faults = {};
        co_await wait_for_end(a, m, granted, 3s);
    });
}

TEST_CASE("a shutdown keeps the lock of a lease that is released in it", "[at_least]")
{
    arena a;
    auto& c = a.client();
    auto& other = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto l = co_await mutex(c, "l").acquire({.at_least = 2s});
        auto const granted = a.now();
        l = {};
        co_await c.shutdown();
        co_await wait_for_end(a, mutex(other, "l"), granted, 2s);
    });
}

TEST_CASE("an acquire that is cancelled leaves nothing behind, also with at_least", "[at_least]")
{
    arena a;
    auto& c = a.client();
    mutex m(c, "l");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        asio::cancellation_signal signal;
        error_code ec;
        m.acquire(
            {.at_least = 1min}, asio::bind_cancellation_slot(signal.slot(), [&](error_code e, lease) { ec = e; }));
        asio::post(a.at("A").get_executor(), [&] { signal.emit(asio::cancellation_type::terminal); });
        co_await a.sleep(1s);
        CHECK(ec == asio::error::operation_aborted);
        CHECK_FALSE(a.exists("l"));
    });
}

TEST_CASE("with_lock passes at_least on, with and without a wait time", "[at_least]")
{
    for (auto const wait : {std::optional<std::chrono::milliseconds>(), std::optional(1'000ms)}) {
        arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            auto const body = [](lease&) -> awaitable<void> { co_return; };
            co_await with_lock(mutex(c, "l"), {.wait = wait, .at_least = 1min}, body);
            CHECK(pttl(a, "l") >= 59'000);
        });
    }
}

TEST_CASE("permits that are released early stay taken for at_least", "[at_least][semaphore]")
{
    for (bool const fair : {false, true})
        for (bool const is_killed : {false, true}) {
            INFO((fair ? "fair" : "unfair") << (is_killed ? ", killed" : ", released"));
            arena a;
            auto config = arena::quick();
            config.poll_interval = 1min;
            semaphore const s(a.client("A", config), "s", {.permits = 3, .fair = fair});
            semaphore const other(a.client("B", config), "s", {.permits = 3, .fair = fair});
            auto granted = core::instant::min();
            lease l;
            a.run([&]() -> awaitable<void> {
                auto const lease_time = is_killed ? 300ms : 60'000ms;
                l = co_await s.acquire({.lease = lease_time, .renew = true, .at_least = 2s, .weight = 2});
                granted = a.now();
                a.spawn(
                    [&]() -> awaitable<void> {
                        auto const next = co_await other.acquire({.weight = 2});
                        CHECK(a.now() - granted >= 1'995ms);
                        CHECK(a.now() - granted <= 2s + late);
                        granted = core::instant::min();
                    },
                    "B");
                co_await a.sleep(100ms);
                if (!is_killed)
                    co_await l.release();
            });
            if (is_killed)
                a.at("A").kill();
            a.run(
                [&]() -> awaitable<void> {
                    auto const count = co_await other.permits();
                    CHECK(count.held == 2);
                    co_await a.sleep(3s, "B");
                    CHECK(granted == core::instant::min());
                },
                "B");
        }
}

TEST_CASE("at_least makes a semaphore a rate limit", "[at_least][semaphore]")
{
    for (bool const fair : {false, true}) {
        INFO((fair ? "fair" : "unfair"));
        arena a;
        std::vector<core::instant> begun;
        auto const start_six = [&](semaphore s) -> awaitable<void> {
            for (int i = 0; i < 6; ++i) {
                auto const l = co_await s.acquire({.at_least = 1s});
                begun.push_back(a.now());
                co_await a.sleep(1ms);
            }
        };
        for (auto const* where : {"A", "B"}) {
            semaphore const s(a.client(where), "s", {.permits = 3, .fair = fair});
            for (int i = 0; i < 2; ++i)
                a.spawn([=] { return start_six(s); }, where);
        }
        a.run([&]() -> awaitable<void> { co_await a.sleep(12s); });
        REQUIRE(begun.size() == 24);
        for (std::size_t i = 3; i < begun.size(); ++i)
            CHECK(begun[i] - begun[i - 3] >= 1s - 5ms);
    }
}

TEST_CASE("an at_least that is not positive, too long or not an option of the lock is refused", "[at_least]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        for (acquire_options const o :
             {acquire_options{.at_least = 0ms},
              acquire_options{.at_least = -1s},
              acquire_options{.at_least = 12h + 1ms},
              acquire_options{.max_hold = 1s, .at_least = 1'001ms}}) {
            auto const ec = co_await error_of(mutex(c, "l").acquire(o, use_awaitable));
            CHECK(ec == errc::invalid_option);
        }
        acquire_options const valid{.at_least = 1s};
        read_write_lock const rw(c, "rw");
        multi_lock const several{mutex(c, "a"), mutex(c, "b")};
        auto const read = co_await error_of(rw.read().acquire(valid, use_awaitable));
        CHECK(read == errc::invalid_option);
        auto const write = co_await error_of(rw.write().acquire(valid, use_awaitable));
        CHECK(write == errc::invalid_option);
        auto const multi = co_await error_of(several.acquire(valid, use_awaitable));
        CHECK(multi == errc::invalid_option);
    });
}

}  // namespace
}  // namespace holdfast::test
