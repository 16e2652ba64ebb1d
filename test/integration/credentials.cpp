//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Users of a real server whose passwords are changed while locks are held.

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_leases.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

class user_of_a_server {
public:
    user_of_a_server() { server.command({"ACL", "SETUSER", "app", "on", "~*", "&*", "+@all"}), change_password(); }

    // The server accepts the new one only.
    void change_password()
    {
        password = "secret" + std::to_string(++changes);
        server.command({"ACL", "SETUSER", "app", "resetpass", ">" + password});
    }
    void disable() { server.command({"ACL", "SETUSER", "app", "off"}); }
    void enable() { server.command({"ACL", "SETUSER", "app", "on"}); }
    void disconnect() { server.command({"CLIENT", "KILL", "USER", "app"}); }
    long connections() { return std::stol(server.info("total_connections_received")); }

    config options(std::chrono::milliseconds valid_for)
    {
        auto c = live::quick(server.url());
        c.credentials = [this, valid_for](credentials_request, credentials_handler done) {
            ++questions;
            done({"app", password, valid_for});
        };
        return c;
    }

    redis_server server;
    std::string password;
    int changes = 0;
    int questions = 0;
};

awaitable<std::vector<lease>> hold(client& c, int count)
{
    std::vector<lease> held;
    for (int i = 0; i < count; ++i)
        held.push_back(co_await mutex(c, "lock" + std::to_string(i)).acquire());
    co_return held;
}

// Acquires and releases other locks until `is_over` is set.
awaitable<void> load(client& c, bool const& is_over, int& rounds)
{
    mutex m(c, "busy");
    while (!is_over) {
        auto l = co_await m.acquire();
        co_await l.release();
        ++rounds;
    }
}

TEST_CASE("credentials: 50 renewed leases survive changes of the password under load", "[credentials]")
{
    user_of_a_server user;
    live l;
    auto& c = l.client(user.options(500ms));
    bool is_over = false;
    int rounds = 0;
    l.run([&]() -> awaitable<void> {
        auto held = co_await hold(c, 50);
        auto const before = user.connections();
        l.spawn([&]() -> awaitable<void> { co_await load(c, is_over, rounds); });
        for (auto const goal = user.server.calls("auth") + 20; user.server.calls("auth") < goal;) {
            user.change_password();
            co_await sleep_for(100ms);
            REQUIRE(are_valid(held));
        }
        // A renewal of each, by a connection that has authenticated anew.
        auto const renewed = c.stats().renewal_lag.count;
        CHECK(co_await comes_true([&] { return c.stats().renewal_lag.count >= renewed + 50; }));
        CHECK(are_valid(held));
        CHECK(user.connections() == before);
        is_over = true;
    });
    CHECK(rounds > 0);
    CHECK(l.lines_with("secret") == 0);
}

TEST_CASE("credentials: a user that is disabled, disconnected and enabled again loses no lease", "[credentials]")
{
    user_of_a_server user;
    live l;
    auto& c = l.client(user.options(500ms));
    l.run([&]() -> awaitable<void> {
        auto held = co_await hold(c, 50);
        user.disable();
        CHECK(co_await comes_true([&] { return l.lines_with("no new credentials: WRONGPASS") == 1; }));
        user.disconnect();
        CHECK(co_await comes_true([&] { return l.lines_with("no connection to") >= 1; }));
        user.change_password();
        user.enable();
        mutex other(c, "other");
        auto fresh = co_await other.acquire();
        CHECK(fresh.valid());
        CHECK(are_valid(held));
    });
    CHECK(l.lines_with("secret") == 0);
}

TEST_CASE("credentials: a server that closes each connection when the password changes costs no lease", "[credentials]")
{
    user_of_a_server user;
    live l;
    auto& c = l.client(user.options(1h));
    l.run([&]() -> awaitable<void> {
        auto held = co_await hold(c, 50);
        for (int i = 0; i < 5; ++i) {
            auto const questions = user.questions;
            user.change_password();
            user.disconnect();
            CHECK(co_await comes_true([&] { return user.questions > questions; }));
            auto fresh = co_await mutex(c, "other").acquire();
            CHECK(fresh.valid());
            REQUIRE(are_valid(held));
        }
    });
}

}  // namespace
}  // namespace holdfast::test
