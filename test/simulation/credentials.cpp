//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Clients whose credentials come from a provider, and change while locks are held: no lease is lost, whatever the
// provider does, as long as the server lets the connection live or yields to fresh credentials in time.

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "sim/redis_model.hpp"
#include "simulation/arena.hpp"
#include "support/all_leases.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

struct credentials_arena : arena {
    credentials_arena() : arena({.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) { change_password(); }

    // The server knows the new one only, and the provider yields it from now on.
    void change_password()
    {
        password = "secret" + std::to_string(++changes);
        server().model().set_user("app", password);
    }

    holdfast::config config(credentials_provider p)
    {
        auto c = quick();
        c.credentials = std::move(p);
        return c;
    }

    credentials_provider prompt()
    {
        return [this](credentials_request what, credentials_handler done) {
            ++questions;
            refusals += what.is_refused;
            done({"app", password, valid_for});
        };
    }

    awaitable<std::vector<lease>> hold(holdfast::client& c, int count = 20)
    {
        std::vector<lease> held;
        for (int i = 0; i < count; ++i)
            held.push_back(co_await mutex(c, "lock" + std::to_string(i)).acquire());
        co_return held;
    }

    auto count(std::string const& command) { return std::ranges::count(commands(), command); }
    auto count_lines(std::string_view part) const
    {
        return std::ranges::count_if(log(), [&](auto const& line) { return line.find(part) != line.npos; });
    }

    std::string password;
    std::chrono::milliseconds valid_for = 10s;
    int changes = 0;
    int questions = 0;
    int refusals = 0;
};

TEST_CASE("credentials: renewed leases survive changes of the password on one connection", "[credentials]")
{
    credentials_arena a;
    auto& c = a.client("A", a.config(a.prompt()));
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(c);
        a.commands();
        for (int i = 0; i < 20; ++i) {
            a.change_password();
            co_await a.sleep(9s);
            REQUIRE(are_held(held));
        }
        auto const sent = a.commands();
        CHECK(std::ranges::count(sent, "HELLO") == 0);
        CHECK(std::ranges::count(sent, "AUTH") >= 18);
        CHECK(std::ranges::count(sent, "AUTH") <= 26);
    });
    CHECK(a.questions <= 27);
    CHECK(a.refusals == 0);
}

TEST_CASE("credentials: a server that closes the connection when they end costs no lease", "[credentials]")
{
    credentials_arena a;
    auto& c = a.client("A", a.config(a.prompt()));
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(c);
        for (int i = 0; i < 10; ++i) {
            a.change_password();
            a.server().model().disconnect_all();
            co_await a.sleep(4s);
            REQUIRE(are_held(held));
        }
        CHECK(a.count("HELLO") >= 10);
    });
    CHECK(a.refusals == 0);
}

TEST_CASE("credentials: a refused AUTH keeps the connection and its subscriptions", "[credentials]")
{
    credentials_arena a;
    auto& holder = a.client("A", a.config(a.prompt()));
    bool is_stale = false;
    auto& waiter = a.client("B", a.config([&](credentials_request, credentials_handler done) {
        done({"app", is_stale ? "stale" : a.password, a.valid_for});
    }));
    a.run([&]() -> awaitable<void> {
        auto held = co_await mutex(holder, "lock").acquire();
        auto others = co_await
            [](holdfast::client& c) -> awaitable<lease> { co_return co_await mutex(c, "other").acquire(); }(waiter);
        is_stale = true;
        bool is_granted = false;
        a.spawn(
            [&]() -> awaitable<void> {
                auto l = co_await mutex(waiter, "lock").acquire();
                is_granted = true;
            },
            "B");
        a.commands();
        co_await a.sleep(60s);
        CHECK(a.count("HELLO") == 0);
        CHECK(others.valid());
        CHECK_FALSE(is_granted);
        co_await held.release();
        co_await a.sleep(20ms);  // the message arrives: polling would take up to a second
        CHECK(is_granted);
        is_stale = false;
        co_await a.sleep(10s);
        CHECK(others.valid());
    });
    CHECK(a.count_lines("no new credentials: WRONGPASS") == 1);
    CHECK(a.count_lines("the server has accepted new credentials") == 1);
    CHECK(a.count_lines("stale") == 0);
    CHECK(a.count_lines("secret") == 0);
}

TEST_CASE("credentials: a refused password is not permanent, and the next one is used", "[credentials]")
{
    credentials_arena a;
    int questions = 0;
    auto& c = a.client("A", a.config([&](credentials_request what, credentials_handler done) {
        CHECK(what.is_refused == (questions > 0));
        done({"app", ++questions <= 4 ? "stale" : a.password, a.valid_for});
    }));
    a.run([&]() -> awaitable<void> {
        auto const begin = a.now();
        auto held = co_await mutex(c, "lock").acquire();
        CHECK(held.valid());
        CHECK(questions == 5);
        CHECK(a.now() - begin < 2s);
    });
    CHECK(a.count_lines("WRONGPASS") == 1);
}

TEST_CASE("credentials: without a provider a refused password stays a permanent error", "[credentials]")
{
    credentials_arena a;
    auto& c = a.client("A", a.quick());
    a.run([&]() -> awaitable<void> {
        auto const refused = co_await error_of(mutex(c, "lock").acquire(asio::use_awaitable));
        CHECK(refused == errc::not_permitted);
        auto watch = election(c, "boss").observe();
        auto const blind = co_await error_of(watch.next(asio::use_awaitable));
        CHECK(blind == errc::not_permitted);
    });
}

TEST_CASE("credentials: waits end when the server begins to refuse the client", "[credentials]")
{
    arena a;
    auto& c = a.client();
    error_code observer, waiter;
    a.run([&]() -> awaitable<void> {
        auto watch = election(c, "boss").observe();
        co_await watch.next();
        latch const l(c, "parts");
        co_await l.set(1);
        auto const observe = [&]() -> awaitable<void> {
            observer = co_await error_of(watch.next(asio::use_awaitable));
        };
        auto const wait = [&]() -> awaitable<void> { waiter = co_await error_of(l.wait(asio::use_awaitable)); };
        a.spawn(observe());
        a.spawn(wait());
        co_await a.sleep(100ms);
        a.server().model().set_user("app", "secret");  // from now on it wants a password
        a.server().restart(false, 100ms);
        co_await a.sleep(5s);
        CHECK(observer == errc::not_permitted);
        CHECK(waiter == errc::not_permitted);
    });
}

TEST_CASE("credentials: a user that is disabled and enabled again costs no lease in between", "[credentials]")
{
    credentials_arena a;
    a.valid_for = 2s;
    auto& c = a.client("A", a.config(a.prompt()));
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(c);
        a.server().model().set_user("app", std::nullopt);
        a.commands();
        co_await a.sleep(60s);
        CHECK(are_held(held));
        // No storm: at most one AUTH in two and a half seconds, after the first ones.
        CHECK(a.count("AUTH") <= 30);
        a.change_password();
        co_await a.sleep(10s);
        CHECK(are_held(held));
        CHECK(a.count("HELLO") == 0);
    });
    CHECK(a.count_lines("no new credentials") == 1);
    CHECK(a.count_lines("the server has accepted new credentials") == 1);
}

// Everything that a provider may do wrong while locks are held.
struct misbehaviour {
    std::string name;
    std::function<void(credentials_handler)> what;
    std::string line;
};

std::vector<misbehaviour> misbehaviours()
{
    return {
        {"fails", [](auto done) { done(asio::error::connection_refused, {}); }, "Connection refused"},
        {"throws", [](auto) { throw std::runtime_error("secret"); }, "the provider threw an exception"},
        {"never completes", [](auto) {}, "the provider did not complete within 10 s"},
        {"yields an empty password",
         [](auto done) {
             done({"app", ""});
         },
         "an empty password"},
        {"yields what has ended",
         [](auto done) {
             done({"app", "x", -1s});
         },
         "have ended already"},
        {"yields a wrong password",
         [](auto done) {
             done({"app", "x"});
         },
         "WRONGPASS"},
    };
}

TEST_CASE("credentials: a provider that misbehaves costs no lease and causes no storm", "[credentials]")
{
    for (auto const& m : misbehaviours()) {
        CAPTURE(m.name);
        credentials_arena a;
        bool is_bad = false;
        int bad_questions = 0;
        auto& c = a.client("A", a.config([&](credentials_request, credentials_handler done) {
            if (!is_bad)
                return done({"app", a.password, a.valid_for});
            ++bad_questions;
            m.what(std::move(done));
        }));
        a.run([&]() -> awaitable<void> {
            auto held = co_await a.hold(c);
            is_bad = true;
            a.commands();
            co_await a.sleep(60s);
            CHECK(are_held(held));
            CHECK(a.count("HELLO") == 0);
            CHECK(bad_questions >= 3);
            CHECK(bad_questions <= 30);
            is_bad = false;
            a.change_password();
            co_await a.sleep(20s);
            CHECK(are_held(held));
            CHECK(a.count("HELLO") == 0);
        });
        CHECK(a.count_lines(m.line) == 1);
        CHECK(a.count_lines("the server has accepted new credentials") == 1);
        CHECK(a.count_lines("secret") == 0);
    }
}

TEST_CASE("credentials: a provider that misbehaves at first delays the first connection only", "[credentials]")
{
    for (auto const& m : misbehaviours()) {
        CAPTURE(m.name);
        credentials_arena a;
        int questions = 0;
        auto& c = a.client("A", a.config([&](credentials_request, credentials_handler done) {
            if (++questions > 3)
                return done({"app", a.password, a.valid_for});
            m.what(std::move(done));
        }));
        a.run([&]() -> awaitable<void> {
            auto held = co_await mutex(c, "lock").acquire();
            CHECK(held.valid());
        });
        CHECK(a.count_lines(m.line) == 1);
    }
}

TEST_CASE("credentials: a slow coroutine is a provider", "[credentials]")
{
    credentials_arena a;
    auto& c = a.client("A", a.config(coroutine_provider([&](credentials_request) -> awaitable<credentials> {
        co_await a.sleep(3s);
        co_return credentials{"app", a.password, a.valid_for};
    })));
    a.run([&]() -> awaitable<void> {
        auto held = co_await a.hold(c);
        a.commands();
        for (int i = 0; i < 10; ++i) {
            a.change_password();
            co_await a.sleep(9s);
            REQUIRE(are_held(held));
        }
        CHECK(a.count("HELLO") == 0);
    });
}

TEST_CASE("credentials: a client that is destroyed during a question leaves nothing behind", "[credentials]")
{
    std::vector<credentials_handler> kept;
    {
        credentials_arena a;
        auto& c = a.client("A", a.config([&](credentials_request, credentials_handler done) { kept.push_back(done); }));
        a.run([&]() -> awaitable<void> { co_await a.sleep(1s); });
        REQUIRE(kept.size() == 1);
        a.destroy(c);
        kept[0]({"app", a.password});
        a.world().run();
        CHECK(a.commands().empty());
    }
    kept[0]({"app", "x"});
}

}  // namespace
}  // namespace holdfast::test
