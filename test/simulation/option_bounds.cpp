//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every duration option at and beyond its bounds: either the option works, or the error names it.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::milliseconds;

constexpr milliseconds values[] = {milliseconds::min(), -1ms, 0ms, 1ms, milliseconds::max()};

// Uses an option with each of those values. `least` is the smallest value that is not refused; 0 may have a meaning of
// its own.
struct option {
    char const* name;
    milliseconds least;
    bool allows_zero;
    std::function<awaitable<error_code>(arena&, holdfast::client&, milliseconds)> use;

    bool allows(milliseconds d) const { return d >= least || (allows_zero && d == 0ms); }
};

awaitable<error_code> acquire_once(mutex m, acquire_options o)
{
    auto const ec = co_await error_of(m.acquire(o, use_awaitable));
    co_return ec;
}

std::vector<option> const& options_of_operations()
{
    static std::vector<option> const all{
        {"lease", 100ms, false, [](arena&, auto& c, auto d) { return acquire_once(mutex(c, "m"), {.lease = d}); }},
        {"lease",
         100ms,
         false,
         [](arena&, auto& c, auto d) { return acquire_once(mutex(c, "m"), {.lease = d, .renew = true}); }},
        {"max_hold", 0ms, true, [](arena&, auto& c, auto d) { return acquire_once(mutex(c, "m"), {.max_hold = d}); }},
        {"wait",
         0ms,
         true,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             auto const ec = co_await error_of(mutex(c, "m").try_acquire({.wait = d}, use_awaitable));
             co_return ec;
         }},
        {"lease",
         100ms,
         false,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             reentrant_lock r(c, "r", c.make_owner());
             auto outer = co_await r.acquire();
             auto const ec = co_await error_of(r.acquire({.lease = d}, use_awaitable));
             co_return ec;
         }},
        {"extend",
         1ms,
         false,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             auto l = co_await mutex(c, "m").acquire({.lease = 1s});
             auto const ec = co_await error_of(l.extend(d, use_awaitable));
             co_return ec;
         }},
        {"extend",
         1ms,
         false,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             auto l = co_await mutex(c, "m").acquire();
             auto const ec = co_await error_of(l.extend(d, use_awaitable));
             co_return ec;
         }},
        {"wait",
         0ms,
         true,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             auto const ec = co_await error_of(
                 multi_lock(mutex(c, "x"), mutex(c, "y")).try_acquire({.wait = d}, use_awaitable));
             co_return ec;
         }},
        {"grace",
         0ms,
         true,
         [](arena&, auto& c, auto d) -> awaitable<error_code> {
             auto const ec = co_await error_of(c.shutdown({.grace = d}, use_awaitable));
             co_return ec;
         }},
    };
    return all;
}

TEST_CASE("each duration option of an operation works or is refused by name at its bounds", "[options]")
{
    for (auto const& o : options_of_operations())
        for (auto d : values) {
            INFO(o.name << " = " << d.count() << " ms");
            arena a;
            auto& c = a.client();
            error_code ec;
            a.run([&]() -> awaitable<void> {
                co_await c.ready();
                ec = co_await o.use(a, c, d);
            });
            // The server may not reply within 1 ms.
            if (o.allows(d))
                CHECK((ec == error_code() || (d == 1ms && ec == errc::unavailable)));
            else {
                CHECK(ec == errc::invalid_option);
                CHECK(c.last_failure().message.find(o.name) != std::string::npos);
            }
        }
}

// One kind of lock; `longest` is the longest lease that it allows.
struct bounded_kind {
    char const* name;
    any_lock (*make)(holdfast::client&, holdfast::client& second);
    milliseconds longest = milliseconds::max();
};

bounded_kind const bounded_kinds[] = {
    {"reentrant_lock", [](auto& c, auto&) -> any_lock { return reentrant_lock(c, "l", c.make_owner()); }},
    {"fair_lock", [](auto& c, auto&) -> any_lock { return fair_lock(c, "l"); }},
    {"read", [](auto& c, auto&) -> any_lock { return read_write_lock(c, "l").read(); }},
    {"write", [](auto& c, auto&) -> any_lock { return read_write_lock(c, "l").write(); }},
    {"multi_lock", [](auto& c, auto& d) -> any_lock { return multi_lock(mutex(c, "l"), mutex(d, "l")); }},
    {"red_lock",
     [](auto& c, auto& d) -> any_lock {
         return red_lock({c, d}, "l", {.trust_new_nodes = true});
     },
     arena::quick().lease},  // max_lease
};

// The four duration options of a lock's operations. Each is used alone, in a single attempt or a limited wait: a
// red_lock without a limit waits as long as its grants end too early.
struct lock_option {
    char const* name;
    milliseconds least;
    bool is_lease;
    awaitable<error_code> (*use)(any_lock, milliseconds);

    bool allows(milliseconds d, bounded_kind const& k) const { return d >= least && !(is_lease && d > k.longest); }
};

awaitable<error_code> try_with(any_lock lock, try_options o)
{
    auto const ec = co_await error_of(lock.try_acquire(o, use_awaitable));
    co_return ec;
}

lock_option const all_lock_options[] = {
    {"lease", 100ms, true, [](any_lock l, milliseconds d) { return try_with(l, {.lease = d}); }},
    {"max_hold", 0ms, false, [](any_lock l, milliseconds d) { return try_with(l, {.max_hold = d}); }},
    {"wait", 0ms, false, [](any_lock l, milliseconds d) { return try_with(l, {.wait = d}); }},
    {"extend",
     1ms,
     true,
     [](any_lock lock, milliseconds d) -> awaitable<error_code> {
         auto l = co_await lock.acquire({.lease = 2s});
         auto const ec = co_await error_of(l.extend(d, use_awaitable));
         co_return ec;
     }},
};

TEST_CASE("every kind of lock accepts the bounds of each duration option or refuses it by name", "[options]")
{
    for (auto const& k : bounded_kinds)
        for (auto const& o : all_lock_options)
            for (auto const d : values) {
                INFO(k.name << ": " << o.name << " = " << d.count() << " ms");
                arena a;
                auto& c = a.client();
                auto& second = a.client("A", arena::quick(), "two");
                error_code ec;
                a.run([&]() -> awaitable<void> {
                    co_await c.ready();
                    co_await second.ready();
                    ec = co_await o.use(k.make(c, second), d);
                });
                // The servers may not reply within 1 ms.
                bool const is_late = d == 1ms && (ec == errc::unavailable || ec == errc::no_quorum);
                if (o.allows(d, k))
                    CHECK((!ec || is_late));
                else {
                    CHECK(ec == errc::invalid_option);
                    CHECK(c.last_failure().message.find(o.name) != std::string::npos);
                }
            }
}

// The error message of a constructor; empty if it does not throw.
std::string error_of_making(std::function<void()> const& make)
{
    try {
        make();
    } catch (std::invalid_argument const& e) {
        return e.what();
    }
    return {};
}

struct client_option {
    char const* name;
    milliseconds least;
    milliseconds& (*of)(holdfast::config&);
};

client_option const client_options[] = {
    {"lease", 100ms, [](holdfast::config& c) -> milliseconds& { return c.lease; }},
    {"command_timeout", 1ms, [](holdfast::config& c) -> milliseconds& { return c.command_timeout; }},
    {"max_hold", 0ms, [](holdfast::config& c) -> milliseconds& { return c.max_hold; }},
    {"poll_interval", 1ms, [](holdfast::config& c) -> milliseconds& { return c.poll_interval; }},
    {"local_handoff.max_time", 0ms, [](holdfast::config& c) -> milliseconds& { return c.local_handoff.max_time; }},
};

TEST_CASE("each duration option of a client works or is refused by name at its bounds", "[options]")
{
    for (auto const& o : client_options)
        for (auto d : values) {
            INFO(o.name << " = " << d.count() << " ms");
            arena a;
            auto config = arena::quick();
            o.of(config) = d;
            if (d < o.least) {
                CHECK(error_of_making([&] { a.client("A", config); }).starts_with(o.name));
                continue;
            }
            // With a command timeout of 1 ms no reply is in time, as the option requests.
            if (o.of(config) == 1ms && std::string(o.name) == "command_timeout")
                continue;
            auto& c = a.client("A", config);
            a.run([&]() -> awaitable<void> {
                read_write_lock doc(c, "d");
                auto held = co_await mutex(c, "m").acquire();
                auto written = co_await doc.write().acquire();
                auto const taken = co_await error_of(mutex(c, "m").try_acquire({.wait = 50ms}, use_awaitable));
                CHECK(taken == error_code());
            });
        }
}

TEST_CASE("each duration option of a lock works or is refused by name at its bounds", "[options]")
{
    for (auto d : values) {
        INFO(d.count() << " ms");
        arena a;
        auto& c = a.client();
        auto& second = a.client("A", arena::quick(), "two");
        auto const fair = error_of_making([&] { fair_lock(c, "f", {.waiter_timeout = d}); });
        CHECK(fair.starts_with(d < 1s ? "waiter_timeout" : ""));
        auto const rw = error_of_making([&] { read_write_lock(c, "d", {.peer_watchdog = d}); });
        CHECK(rw.starts_with(d != 0ms && d < 100ms ? "peer_watchdog" : ""));
        a.run([&]() -> awaitable<void> {
            if (fair.empty()) {
                auto const l = co_await fair_lock(c, "f", {.waiter_timeout = d}).acquire();
                CHECK(l.valid());
            }
            if (rw.empty()) {
                auto const l = co_await read_write_lock(c, "d", {.peer_watchdog = d}).read().acquire();
                CHECK(l.valid());
            }
            red_lock const by_timeout({c, second}, "t", {.node_timeout = d, .trust_new_nodes = true});
            // A majority may not reply within 1 ms, but that does not make the option invalid.
            auto const timeout = co_await error_of(by_timeout.try_acquire(use_awaitable));
            CHECK((timeout == errc::invalid_option) == (d != 1ms));
            red_lock const by_lease({c, second}, "l", {.max_lease = d, .trust_new_nodes = true});
            auto const lease = co_await error_of(by_lease.try_acquire(use_awaitable));
            CHECK(lease == (d == milliseconds::max() ? error_code() : error_code(errc::invalid_option)));
        });
    }
}

TEST_CASE("a wait time of the maximum duration lasts until the lock is released", "[options]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(20s);
            co_await held.release();
        });
        auto const start = a.now();
        auto const l = co_await mutex(c, "m").try_acquire({.wait = milliseconds::max()});
        CHECK(l.valid());
        CHECK(a.now() - start >= 20s);
    });
}

TEST_CASE("another client's key with a very long time to live is busy and polled at the usual rate", "[options]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "m", "foreign", "PX", "9000000000000000"});
        a.server().execute({"HSET", "r", "foreign:1", "1"});
        a.server().execute({"PEXPIRE", "r", "9000000000000000"});
        a.commands();
        auto const busy_mutex = co_await mutex(c, "m").try_acquire({.wait = 3s});
        CHECK(busy_mutex.empty());
        auto const busy_reentrant = co_await reentrant_lock(c, "r", c.make_owner()).try_acquire({.wait = 3s});
        CHECK(busy_reentrant.empty());
        CHECK(a.commands().size() < 50);
    });
}

}  // namespace
}  // namespace holdfast::test
