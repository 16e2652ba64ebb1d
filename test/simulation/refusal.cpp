//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A server, or a proxy in front of it, that refuses commands for a while: contenders that wait go on waiting, releases
// are repeated, and the reason is reported.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/red_arena.hpp"
#include "support/all_kinds.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using simulated::condition;

// What a server or a proxy may say for a while, and the end of it.
struct refusing {
    char const* name;
    condition state;
    std::string_view proxy;

    void begin(simulated_server& s) const
    {
        s.model().set_condition(state);
        s.model().refuse_as_proxy(proxy);
    }
    static void end(simulated_server& s)
    {
        s.model().set_condition(condition::normal);
        s.model().refuse_as_proxy({});
    }
};

constexpr refusing all_refusals[] = {
    {"out of memory", condition::out_of_memory, {}},
    {"disk error", condition::disk_error, {}},
    {"no replicas", condition::no_replicas, {}},
    {"words of a proxy", condition::normal, "ERR upstream failure"},
};

std::vector<any_lock> locks(client& c)
{
    auto all = locks_of_all_kinds(c, {"k"});
    all.emplace_back(semaphore(c, "k-fs", {.permits = 1, .fair = true}));
    return all;
}

TEST_CASE("a contender that waits is granted when the server accepts writes again", "[refusal]")
{
    for (auto const& r : all_refusals)
        for (std::size_t i = 0, n = 1; i < n; ++i) {
            arena a;
            auto& c = a.client();
            auto const all = locks(c);
            n = all.size();
            CAPTURE(r.name, all[i].name());
            a.run([&]() -> awaitable<void> {
                co_await c.ready();
                r.begin(a.server());
                std::optional<error_code> ec;
                lease got;
                a.spawn([&]() -> awaitable<void> {
                    error_code result;
                    got = co_await all[i].acquire(asio::redirect_error(use_awaitable, result));
                    ec = result;
                });
                co_await a.sleep(5s);
                CHECK_FALSE(ec);
                refusing::end(a.server());
                co_await a.sleep(2s);
                CHECK(ec == error_code());
                CHECK(got.valid());
            });
        }
}

TEST_CASE("a refused try_acquire completes as server_refused, at once or when its wait ends", "[refusal]")
{
    for (auto const& r : all_refusals)
        for (std::size_t i = 0, n = 1; i < n; ++i) {
            arena a;
            auto& c = a.client();
            auto const all = locks(c);
            n = all.size();
            CAPTURE(r.name, all[i].name());
            a.run([&]() -> awaitable<void> {
                co_await c.ready();
                r.begin(a.server());
                auto const start = a.now();
                auto const single = co_await error_of(all[i].try_acquire(use_awaitable));
                CHECK(single == errc::server_refused);
                CHECK(a.now() - start <= 100ms);
                auto const waiting = co_await error_of(all[i].try_acquire({.wait = 700ms}, use_awaitable));
                // After several errors of a proxy the client connects again, and its wait may end meanwhile.
                CHECK((waiting == errc::server_refused || (!r.proxy.empty() && waiting == errc::unavailable)));
                CHECK(a.now() - start >= 600ms);
                refusing::end(a.server());
                co_await a.sleep(5s);
            });
        }
}

TEST_CASE("a red_lock is granted when a majority of its servers accepts writes again", "[refusal][red_lock]")
{
    for (auto const& r : all_refusals) {
        CAPTURE(r.name);
        nodes a(3);
        auto const all = a.clients();
        a.run([&]() -> awaitable<void> {
            co_await ready(all);
            for (unsigned i : {0u, 1u})
                r.begin(a.node(i));
            lease got;
            a.spawn([&]() -> awaitable<void> { got = co_await red_lock(all, "r", trusting).acquire(); });
            co_await a.sleep(5s);
            CHECK(got.empty());
            for (unsigned i : {0u, 1u})
                refusing::end(a.node(i));
            co_await a.sleep(5s);
            CHECK(got.valid());
        });
    }
}

TEST_CASE("a refusal that lasts is logged once for a waiter, not for each of its attempts", "[refusal]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().set_condition(condition::out_of_memory);
        a.spawn([&]() -> awaitable<void> { auto const got = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(10s);
        CHECK(a.lines_with("OOM") == 1);
        a.server().model().set_condition(condition::normal);
        co_await a.sleep(2s);
    });
}

TEST_CASE("a release that was refused is repeated until the lease ends, and the refusal is reported", "[refusal]")
{
    struct row {
        char const* denied;  // a command
        char const* proxy;
        errc reported;
    };
    for (auto const& r :
         {row{"", "ERR upstream failure", errc::unavailable}, row{"evalsha", "", errc::not_permitted}}) {
        CAPTURE(r.denied, r.proxy);
        arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            auto held = co_await mutex(c, "m").acquire({.lease = 60s});
            if (*r.denied)
                a.server().model().deny_command(r.denied);
            a.server().model().refuse_as_proxy(r.proxy);
            auto const ec = co_await error_of(held.release(use_awaitable));
            CHECK(ec == r.reported);
            co_await a.sleep(1s);
            CHECK(a.exists("m"));
            CHECK(a.lines_with("lock \"m\"") == 1);
            a.server().model().allow_all();
            a.server().model().refuse_as_proxy({});
            co_await a.sleep(2s);
            CHECK_FALSE(a.exists("m"));
        });
    }
}

// The proxy applies the SET, and loses the server before it has its reply.
TEST_CASE("an attempt that a proxy has refused is released, because the server may have applied it", "[refusal]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().refuse_as_proxy("ERR upstream failure");
        auto const ec = co_await error_of(mutex(c, "m").try_acquire(use_awaitable));
        CHECK(ec == errc::server_refused);
        a.commands();
        a.server().model().refuse_as_proxy({});
        co_await a.sleep(2s);
        CHECK(a.commands() == std::vector<std::string>{"EVALSHA", "EVAL"});
    });
}

TEST_CASE("after several errors in a row that it does not know the client connects again", "[refusal]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto const before = c.stats().connections;
        a.server().model().refuse_as_proxy("ERR upstream failure");
        a.spawn([&]() -> awaitable<void> { auto const got = co_await mutex(c, "m").acquire(); });
        co_await a.sleep(20s);
        CHECK(c.stats().connections > before);
        CHECK(c.stats().connections < before + 20);
        a.server().model().refuse_as_proxy({});
        co_await a.sleep(2s);
    });
}

TEST_CASE("a single attempt whose connection is lost is made again on the next one", "[refusal]")
{
    for (std::size_t i = 0, n = 1; i < n; ++i) {
        arena a;
        auto& c = a.client();
        auto const all = locks(c);
        n = all.size();
        CAPTURE(all[i].name());
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            co_await a.sleep(5s);
            auto const start = a.now();
            a.server().faults.disconnect = 1;
            a.spawn([&]() -> awaitable<void> {
                co_await a.sleep(20ms);
                a.server().faults.disconnect = 0;
            });
            auto const got = co_await all[i].try_acquire();
            CHECK(got.valid());
            CHECK(a.now() - start < 400ms);
        });
    }
}

}  // namespace
}  // namespace holdfast::test
