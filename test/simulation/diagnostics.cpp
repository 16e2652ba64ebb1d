//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The texts of errors: each names the lock, and what the error code does not say.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <holdfast/testing/server.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using simulated::condition;

TEST_CASE("the exception of a single attempt has the name of the lock and the server's error message", "[diagnostics]")
{
    struct refusal {
        condition state;
        std::string denied;
        errc code;
        std::string text;
    };
    for (auto const& r : std::vector<refusal>{
             {condition::out_of_memory, "", errc::server_refused, "lock \"orders\": OOM command not allowed"},
             {condition::disk_error, "", errc::server_refused, "lock \"orders\": MISCONF "},
             {condition::no_replicas, "", errc::server_refused, "lock \"orders\": NOREPLICAS "},
             {condition::normal, "set", errc::not_permitted, "lock \"orders\": NOPERM "}}) {
        CAPTURE(r.text);
        arena a;
        auto& c = a.client();
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            a.server().model().set_condition(r.state);
            if (!r.denied.empty())
                a.server().model().deny_command(r.denied);
            try {
                co_await mutex(c, "orders").try_acquire();
                FAIL_CHECK("the server has granted the lock");
            } catch (holdfast::error const& e) {
                CHECK(e.code() == r.code);
                CHECK_THAT(e.what(), StartsWith(r.text));
                CHECK_THAT(e.what(), ContainsSubstring(": " + e.code().message()));
                CHECK(e.get_diagnostics().message().starts_with(r.text));
            }
        });
    }
}

TEST_CASE("the text of wrong_type has the name of the lock", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().execute({"RPUSH", "SCAN", "a list"});
        auto const of_set = co_await text_of(mutex(c, "SCAN").acquire());
        CHECK_THAT(of_set, StartsWith("lock \"SCAN\": a key of the lock is of another type"));
        auto const of_script = co_await text_of(mutex(c, "SCAN", {.fencing = true}).acquire());
        CHECK_THAT(
            of_script, StartsWith("lock \"SCAN\": ") && ContainsSubstring("a key of the lock is of another type"));
    });
}

TEST_CASE("the text of unavailable says why the server did not answer", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    auto const text = [&]() -> awaitable<std::string> {
        co_return co_await text_of(mutex(c, "m").try_acquire({.wait = 600ms}));
    };
    auto& model = a.server().model();
    a.run([&]() -> awaitable<void> {
        a.server().pause();
        auto const unconnected = co_await text();
        CHECK_THAT(unconnected, StartsWith("lock \"m\": not connected"));
        a.server().resume();
        co_await c.ready();

        a.server().pause();
        auto const silent = co_await text();
        CHECK_THAT(silent, StartsWith("lock \"m\": no reply in time: "));
        a.server().resume();
        co_await a.sleep(3s);
        co_await c.ready();

        model.set_condition(condition::loading);
        auto const loading = co_await text();
        CHECK_THAT(loading, StartsWith("lock \"m\": LOADING "));
        model.set_condition(condition::normal);
        co_await a.sleep(3s);

        model.set_condition(condition::replica);
        auto const read_only = co_await text();
        CHECK_THAT(read_only, StartsWith("lock \"m\": not connected: ") && ContainsSubstring("replica"));
        model.set_condition(condition::normal);
        co_await a.sleep(3s);
        co_await c.ready();
    });
}

TEST_CASE("the text of an invalid name or option has the name of the lock and of the option", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto const name = co_await text_of(mutex(c, "a\n{b").acquire());
        CHECK_THAT(name, StartsWith("lock \"a\\x0a{b\": the name must have 1 to 512 bytes"));
        mutex m(c, "m");
        auto const option = co_await text_of(m.acquire({.lease = 5ms}));
        CHECK_THAT(option, StartsWith("lock \"m\": lease: must be at least 100 ms: an option is invalid"));
        auto l = co_await m.acquire();
        auto const extension = co_await text_of(l.extend(0ms));
        CHECK_THAT(extension, StartsWith("lock \"m\": extend: must be positive"));
        auto const count = co_await text_of(latch(c, "parts").set(0));
        CHECK_THAT(count, StartsWith("lock \"parts\": count: must not be 0"));
        auto const grace = co_await text_of(c.shutdown({.grace = -1ms}));
        CHECK_THAT(grace, StartsWith("grace: must not be negative"));
        auto const pause = co_await text_of(c.shutdown({.cancel_after = -1ms}));
        CHECK_THAT(pause, StartsWith("cancel_after: must not be negative"));
    });
}

TEST_CASE("the texts of queries, releases and extensions have the name of the lock", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto l = co_await m.acquire();
        a.server().model().deny_command("evalsha");
        a.server().model().deny_command("eval");
        auto const extension = co_await text_of(l.extend(10s));
        CHECK_THAT(extension, StartsWith("lock \"m\": NOPERM "));
        auto const query = co_await text_of(m.holders());
        CHECK_THAT(query, StartsWith("lock \"m\": ") && ContainsSubstring("NOPERM"));
        auto const release = co_await text_of(l.release());
        CHECK_THAT(release, StartsWith("lock \"m\": NOPERM "));
        a.server().model().allow_all();
        auto const again = co_await text_of(l.release());
        CHECK_THAT(again, StartsWith("the lease is empty"));
    });
}

TEST_CASE("the text of a loss has the name of the lock", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto l = co_await mutex(c, "m").acquire();
        a.server().execute({"DEL", "m"});
        auto const release = co_await text_of(l.release());
        CHECK_THAT(release, StartsWith("lock \"m\": the lease was lost"));
    });
}

TEST_CASE("the text of a multi_lock names the member that failed", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    auto& d = a.client("A", arena::quick(), "other");
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        co_await d.ready();
        multi_lock both(mutex(c, "x"), mutex(d, "y"));
        std::string const name = "lock \"" + std::string(both.name()) + "\": ";
        a.server("other").model().set_condition(condition::out_of_memory);
        auto const acquire = co_await text_of(both.try_acquire());
        CHECK_THAT(acquire, StartsWith(name + "lock \"y\": OOM command not allowed"));
        a.server("other").model().set_condition(condition::normal);

        a.server("other").model().deny_command("evalsha");
        a.server("other").model().deny_command("eval");
        auto l = co_await both.acquire();
        auto const extension = co_await text_of(l.extend(10s));
        CHECK_THAT(extension, StartsWith(name + "lock \"y\": NOPERM "));
        auto const query = co_await text_of(both.holders());
        CHECK_THAT(query, StartsWith(name + "lock \"y\": ") && ContainsSubstring("NOPERM"));
        auto const release = co_await text_of(l.release());
        CHECK_THAT(release, StartsWith(name + "lock \"y\": NOPERM "));
        a.server("other").model().allow_all();
    });
}

TEST_CASE("the text of a red_lock without a majority has the reply of each server", "[diagnostics]")
{
    nodes a(3);
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await ready(all);
        a.node(0).pause();
        a.node(1).pause();
        auto const silent = co_await text_of(red_lock(all, "r", trusting).try_acquire({.wait = 1s}));
        CHECK_THAT(silent, StartsWith("lock \"r\": no majority: ") && ContainsSubstring("no reply in time"));
        a.node(0).resume();
        a.node(1).resume();
        co_await a.sleep(3s);
        for (unsigned i = 0; i < 3; ++i)
            a.node(i).model().set_condition(condition::out_of_memory);
        auto const refused = co_await text_of(red_lock(all, "r", trusting).try_acquire());
        CHECK_THAT(refused, StartsWith("lock \"r\": ") && ContainsSubstring("OOM command not allowed"));
    });
}

TEST_CASE("the exception of a cancelled acquire names the lock", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        auto const held = co_await mutex(c, "m").acquire();
        asio::cancellation_signal signal;
        a.spawn([&]() -> awaitable<void> {
            co_await a.sleep(10ms);
            signal.emit(asio::cancellation_type::total);
        });
        auto const token = with_diagnostics(asio::bind_cancellation_slot(signal.slot(), asio::use_awaitable));
        try {
            co_await mutex(c, "m").acquire(token);
            FAIL_CHECK("it was not cancelled");
        } catch (holdfast::error const& e) {
            CHECK(e.code() == asio::error::operation_aborted);
            CHECK_THAT(e.what(), StartsWith("lock \"m\""));
        }
    });
}

// ---- completion tokens

TEST_CASE("tokens without diagnostics complete with the error code as before", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "");
        auto const [as_tuple, none] = co_await m.acquire(asio::as_tuple);
        CHECK(as_tuple == errc::invalid_name);
        CHECK(none.empty());
        auto const [explicit_tuple, nothing] = co_await m.acquire(asio::as_tuple(asio::use_awaitable));
        CHECK(explicit_tuple == errc::invalid_name);
        error_code redirected;
        (void)co_await m.acquire(asio::redirect_error(redirected));
        CHECK(redirected == errc::invalid_name);
        auto const thrown = co_await error_of(m.acquire(asio::use_awaitable));
        CHECK(thrown == errc::invalid_name);
        std::optional<error_code> called;
        m.acquire([&](error_code ec, lease) { called = ec; });
        co_await a.sleep(1ms);
        CHECK(called == error_code(errc::invalid_name));
    });
}

TEST_CASE("bind_diagnostics() gives the text to tokens that pass error codes", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        diagnostics text;
        auto const [ec, none] = co_await m.acquire({.lease = 5ms}, bind_diagnostics(text, asio::as_tuple));
        CHECK(ec == errc::invalid_option);
        CHECK(text.message() == "lock \"m\": lease: must be at least 100 ms");

        std::string of_callback;
        m.acquire({.lease = 5ms}, bind_diagnostics(text, [&](error_code, lease) { of_callback = text.message(); }));
        CHECK(text.message().empty());  // cleared when the operation was started
        co_await a.sleep(1ms);
        CHECK(of_callback == "lock \"m\": lease: must be at least 100 ms");

        error_code redirected;
        auto const l = co_await m.acquire(bind_diagnostics(text, asio::redirect_error(redirected)));
        CHECK_FALSE(redirected);
        CHECK(l.valid());
        CHECK(text.message().empty());
    });
}

TEST_CASE("with_diagnostics() makes any token that throws report a holdfast::error", "[diagnostics]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        mutex m(c, "m");
        auto const awaited = co_await text_of(m.acquire({.lease = 5ms}, with_diagnostics(asio::use_awaitable)));
        CHECK_THAT(awaited, StartsWith("lock \"m\": lease: must be at least 100 ms"));
        auto future = m.acquire({.lease = 5ms}, with_diagnostics(asio::use_future));
        co_await a.sleep(1ms);
        CHECK_THROWS_AS(future.get(), holdfast::error);
        diagnostics outer;
        auto const both = co_await text_of(
            m.acquire({.lease = 5ms}, with_diagnostics(bind_diagnostics(outer, asio::use_awaitable))));
        CHECK_THAT(both, StartsWith(std::string(outer.message())));
        CHECK_FALSE(outer.message().empty());
        auto const got = co_await m.acquire(with_diagnostics(asio::use_awaitable));
        CHECK(got.valid());
    });
}

// In real time, because asio::cancel_after() has a timer of its own.
TEST_CASE("adapters without a token throw a holdfast::error", "[diagnostics]")
{
    asio::io_context context;
    testing::server redis(context);
    client c(context, redis.config());
    c.run(asio::detached);
    redis.hold("m");
    std::string what;
    auto const caller = [&]() -> awaitable<void> {
        what = co_await text_of(mutex(c, "m").acquire(asio::cancel_after(1ms)));
        c.stop();
    };
    asio::co_spawn(context, caller(), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
    CHECK_THAT(what, StartsWith("lock \"m\": ") && ContainsSubstring("canceled"));
}

}  // namespace
}  // namespace holdfast::test
