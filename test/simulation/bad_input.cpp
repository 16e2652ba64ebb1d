//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Invalid input, and a server that refuses commands: the error names the cause, nothing is left behind, and the client
// does not repeat the command endlessly.

#include <boost/asio/cancel_after.hpp>
#include <catch2/catch_test_macros.hpp>

#include "operations/server_query.hpp"
#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

bool mentions(holdfast::client& c, std::string_view what)
{
    return c.last_failure().message.find(what) != std::string::npos;
}

TEST_CASE("an invalid lock name or option is reported by name, and the client sends no command", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.commands();
        for (auto* name : {"", "a{b", "a}b", "{}x", "a{}b"}) {
            auto const on_acquire = co_await error_of(mutex(c, name).acquire(use_awaitable));
            CHECK(on_acquire == errc::invalid_name);
            CHECK(mentions(c, "lock \"" + std::string(name) + "\""));
            auto const on_query = co_await error_of(mutex(c, name).is_locked(use_awaitable));
            CHECK(on_query == errc::invalid_name);
        }
        auto const too_long = co_await error_of(mutex(c, std::string(513, 'x')).acquire(use_awaitable));
        CHECK(too_long == errc::invalid_name);

        mutex m(c, "m");
        for (auto bad : {-1ms, 0ms, 99ms}) {
            auto const bad_lease = co_await error_of(m.acquire({.lease = bad}, use_awaitable));
            CHECK(bad_lease == errc::invalid_option);
            CHECK(mentions(c, "lease"));
            CHECK(mentions(c, "\"m\""));
        }
        auto const bad_wait = co_await error_of(m.try_acquire({.wait = -1ms}, use_awaitable));
        CHECK(bad_wait == errc::invalid_option);
        CHECK(mentions(c, "wait"));
        auto const bad_max_hold = co_await error_of(m.acquire({.max_hold = -1ms}, use_awaitable));
        CHECK(bad_max_hold == errc::invalid_option);
        CHECK(mentions(c, "max_hold"));
        CHECK(a.commands().empty());
    });
}

TEST_CASE("a refused query about the server is not reported as a lock", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().deny_command("info");
        auto const refused = co_await error_of(detail::query_server_info(c, 0, use_awaitable));
        CHECK(refused == errc::not_permitted);
        CHECK(mentions(c, "query of the server: "));
        CHECK(mentions(c, "'info'"));
        CHECK_FALSE(mentions(c, "lock \""));
    });
}

TEST_CASE("the constructor of a client names the invalid option and does not reveal the password", "[bad_input]")
{
    auto const error_of_making = [](holdfast::config c) -> std::string {
        try {
            asio::io_context ioc;
            holdfast::client client(ioc, std::move(c));
        } catch (std::invalid_argument const& e) {
            return e.what();
        }
        return "";
    };
    CHECK(error_of_making({.url = "http://x"}).starts_with("url"));
    CHECK(error_of_making({.url = ""}).starts_with("url"));
    CHECK(error_of_making({.url = "redis://:secret@h:99999"}).find("secret") == std::string::npos);
    CHECK(error_of_making({.lease = 99ms}).starts_with("lease"));
    CHECK(error_of_making({.command_timeout = 0ms}).starts_with("command_timeout"));
    CHECK(error_of_making({.max_hold = -1ms}).starts_with("max_hold"));
    CHECK(error_of_making({.poll_interval = 0ms}).starts_with("poll_interval"));
    CHECK(error_of_making({.key_prefix = "a{b"}).starts_with("key_prefix"));
}

TEST_CASE("operations on a key of another type complete as wrong_type and do not delete the key", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"RPUSH", "l", "x"});
        a.server().execute({"HSET", "h", "field", "x"});
        auto const me = c.make_owner();
        auto const on_acquire = co_await error_of(mutex(c, "l").acquire(use_awaitable));
        CHECK(on_acquire == errc::wrong_type);
        CHECK(mentions(c, "\"l\""));
        auto const on_try = co_await error_of(mutex(c, "l").try_acquire(use_awaitable));
        CHECK(on_try == errc::wrong_type);
        auto const on_hash = co_await error_of(mutex(c, "h").try_acquire(use_awaitable));
        CHECK(on_hash == errc::wrong_type);
        auto const on_fenced = co_await error_of(mutex(c, "l", {.fencing = true}).acquire(use_awaitable));
        CHECK(on_fenced == errc::wrong_type);
        auto const on_reentrant = co_await error_of(reentrant_lock(c, "l", me).acquire(use_awaitable));
        CHECK(on_reentrant == errc::wrong_type);
        auto const on_force_release = co_await error_of(mutex(c, "l").force_release(use_awaitable));
        CHECK(on_force_release == errc::wrong_type);
        auto const on_holders = co_await error_of(mutex(c, "l").holders(use_awaitable));
        CHECK(on_holders == errc::wrong_type);
        CHECK(a.exists("l"));
        CHECK(a.exists("h"));
        co_await a.sleep(2s);
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE(
    "on a string without a time to live every kind of lock completes as wrong_type and keeps the key", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "s", "data"});
        auto const attempt = [&](auto lock) { return error_of(lock.try_acquire({.wait = 5s}, use_awaitable)); };
        auto const once = co_await error_of(mutex(c, "s").try_acquire(use_awaitable));
        CHECK(once == errc::wrong_type);
        auto const plain = co_await attempt(mutex(c, "s"));
        CHECK(plain == errc::wrong_type);
        CHECK(mentions(c, "\"s\""));
        auto const fenced = co_await attempt(mutex(c, "s", {.fencing = true}));
        CHECK(fenced == errc::wrong_type);
        auto const several = co_await attempt(multi_lock(mutex(c, "free"), mutex(c, "s")));
        CHECK(several == errc::wrong_type);
        auto const reentrant = co_await attempt(reentrant_lock(c, "s", c.make_owner()));
        CHECK(reentrant == errc::wrong_type);
        auto const fair = co_await attempt(fair_lock(c, "s"));
        CHECK(fair == errc::wrong_type);
        auto const read = co_await attempt(read_write_lock(c, "s").read());
        CHECK(read == errc::wrong_type);
        auto const write = co_await attempt(read_write_lock(c, "s").write());
        CHECK(write == errc::wrong_type);
        CHECK(a.server().execute({"GET", "s"}).text == "data");
        co_await a.sleep(2s);
        CHECK_FALSE(a.exists("free"));
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE("a waiter completes as wrong_type when a string without a time to live replaces the lock", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        a.server().execute({"SET", "m", "another library's", "PX", "60000"});
        error_code ended;
        a.spawn([&]() -> awaitable<void> { ended = co_await error_of(mutex(c, "m").acquire(use_awaitable)); });
        co_await a.sleep(500ms);
        CHECK_FALSE(ended);
        CHECK(c.stats().waiting == 1);
        a.server().execute({"SET", "m", "data"});
        co_await a.sleep(3s);
        CHECK(ended == errc::wrong_type);
    });
}

// The probe after a refused attempt consists of commands of its own: the key may change before each of them.
TEST_CASE("a waiter acquires the lock if another client's data in the key is deleted during an attempt", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    std::string change_after;
    a.server().check([&](executed const& e) {
        if (e.what.in_script || e.client == "test" || e.what.args[0] != change_after)
            return;
        change_after.clear();
        a.server().model().keys().erase("m");
    });
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        for (auto const* command : {"SET", "PTTL", "TYPE"}) {
            CAPTURE(command);
            a.server().execute({"SET", "m", "data"});
            change_after = command;
            auto l = co_await m.try_acquire({.wait = 5s});
            CHECK(l.valid());
            co_await l.release();
            a.server().execute({"SET", "m", "another library's", "PX", "60000"});
            auto const next = co_await m.try_acquire();  // the earlier probe has no effect any more
            CHECK(next.empty());
            a.server().execute({"DEL", "m"});
        }
    });
}

TEST_CASE("control characters in a lock name are escaped in log lines and error messages", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    std::string const name = "m\nA: lock \"n\": granted\x1b[2J\r";
    a.run([&]() -> awaitable<void> {
        a.server().execute({"RPUSH", name, "x"});
        auto const on_acquire = co_await error_of(mutex(c, name).acquire(use_awaitable));
        CHECK(on_acquire == errc::wrong_type);
        auto const on_force = co_await error_of(reentrant_lock(c, name, c.make_owner()).force_release(use_awaitable));
        CHECK(on_force == errc::wrong_type);
        CHECK(mentions(c, "m\\x0aA: lock \"n\": granted\\x1b[2J\\x0d"));
        CHECK(std::ranges::count_if(a.log(), [](auto const& l) { return l.find("m\\x0aA") != l.npos; }) == 2);
        for (auto const& line : a.log())
            CHECK(std::ranges::none_of(line, [](unsigned char b) { return b < 0x20 || b == 0x7f; }));
    });
}

TEST_CASE("try_acquire completes as busy when a lock of another kind holds the key", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const me = c.make_owner();
        auto l = co_await mutex(c, "m").acquire();
        auto const as_reentrant = co_await reentrant_lock(c, "m", me).try_acquire();
        CHECK(as_reentrant.empty());
        co_await l.release();
        a.server().execute({"HSET", "h", "somebody:1", "1"});
        a.server().execute({"PEXPIRE", "h", "1000"});
        auto const as_mutex = co_await mutex(c, "h").try_acquire();
        CHECK(as_mutex.empty());
        auto got = co_await mutex(c, "h").acquire();
        CHECK(got.valid());
    });
}

TEST_CASE("an acquire completes as not_permitted, without a retry, when the server denies its command", "[bad_input]")
{
    arena a;
    a.server().model().deny_command("set");
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const denied = co_await error_of(mutex(c, "m").acquire(use_awaitable));
        CHECK(denied == errc::not_permitted);
        CHECK(mentions(c, "\"m\""));
        co_await a.sleep(5s);
        CHECK(std::ranges::count(a.commands(), std::string("SET")) == 1);
    });
}

TEST_CASE("while the server is down, acquire waits, and try_acquire completes as unavailable in time", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.server().restart(false, 10s);
    a.run([&]() -> awaitable<void> {
        auto const start = a.now();
        mutex m(c, "m");
        auto const within_wait = co_await error_of(m.try_acquire({.wait = 200ms}, use_awaitable));
        CHECK(within_wait == errc::unavailable);
        CHECK(a.now() - start <= 201ms);
        auto const one_attempt = co_await error_of(m.try_acquire(use_awaitable));
        CHECK(one_attempt == errc::unavailable);
        CHECK(a.now() - start <= 702ms);
        auto const query = co_await error_of(m.is_locked(use_awaitable));
        CHECK(query == errc::unavailable);
        auto l = co_await m.acquire();
        CHECK(l.valid());
        CHECK(a.now() - start >= 9s);
        CHECK(a.now() - start <= 14s);
    });
}

TEST_CASE("try_acquire completes as busy on a held lock and as unavailable on a silent server", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("B");
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(d, "m").acquire();
        mutex m(c, "m");
        auto const one_attempt = co_await m.try_acquire();
        CHECK(one_attempt.empty());
        auto const within_wait = co_await m.try_acquire({.wait = 100ms});
        CHECK(within_wait.empty());
        a.server().pause();
        auto const unanswered = co_await error_of(m.try_acquire({.wait = 100ms}, use_awaitable));
        CHECK(unanswered == errc::unavailable);
        a.server().resume();
    });
}

TEST_CASE("a second run() fails as already_running, and operations after shutdown() as client_stopped", "[bad_input]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const second_run = co_await error_of(c.run(use_awaitable));
        CHECK(second_run == errc::already_running);
        co_await c.ready();
        auto const bad_grace = co_await error_of(c.shutdown({.grace = -1ms}, use_awaitable));
        CHECK(bad_grace == errc::invalid_option);
        co_await c.shutdown();
        auto const on_acquire = co_await error_of(mutex(c, "m").acquire(use_awaitable));
        CHECK(on_acquire == errc::client_stopped);
        auto const on_query = co_await error_of(mutex(c, "m").is_locked(use_awaitable));
        CHECK(on_query == errc::client_stopped);
        auto const on_ready = co_await error_of(c.ready(use_awaitable));
        CHECK(on_ready == errc::client_stopped);
    });
}

TEST_CASE("shutdown() ends waiters, waits up to grace for holders, and keeps the keys still held", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto quick = co_await mutex(c, "quick").acquire();
        auto slow = co_await mutex(c, "slow").acquire();
        error_code waiter;
        a.spawn([&]() -> awaitable<void> { waiter = co_await error_of(mutex(c, "slow").acquire(use_awaitable)); });
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(100ms);
            co_await quick.release();
        });
        co_await a.sleep(10ms);
        auto const start = a.now();
        co_await c.shutdown({.grace = 1s});
        CHECK(a.now() - start >= 1s);
        CHECK(a.now() - start <= 1100ms);
        CHECK(waiter == errc::client_stopped);
        CHECK(slow.state() == lease_state::lost);
        CHECK_FALSE(a.exists("quick"));
        CHECK(a.exists("slow"));
    });
    CHECK(c.stats().abandoned == 1);
}

TEST_CASE("shutdown() without holders sends the queued releases and completes at once", "[shutdown]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        {
            auto l = co_await mutex(c, "m").acquire();
        }
        auto const start = a.now();
        co_await c.shutdown({.grace = 10s});
        CHECK(a.now() - start < 10ms);
        CHECK_FALSE(a.exists("m"));
    });
}

}  // namespace
}  // namespace holdfast::test
