//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Users of a Redis Cluster: their passwords change, or one node refuses them.

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_leases.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

struct user_of_a_cluster {
    user_of_a_cluster()
    {
        for (std::size_t i = 0; i != cluster.size(); ++i)
            set_password(i, password);
    }

    void set_password(std::size_t node, std::string const& to)
    {
        cluster[node].command({"ACL", "SETUSER", "app", "on", "resetpass", ">" + to, "~*", "&*", "+@all"});
    }
    // The provider yields it from now on, and the nodes accept it only.
    void change_password()
    {
        password = "secret" + std::to_string(++changes);
        for (std::size_t i = 0; i != cluster.size(); ++i)
            set_password(i, password);
    }
    void disconnect(std::size_t node) { cluster[node].command({"CLIENT", "KILL", "USER", "app"}); }

    config options()
    {
        auto c = live::quick(cluster.url());
        c.credentials = [this](credentials_request, credentials_handler done) { done({"app", password, 500ms}); };
        return c;
    }
    std::string name_at(std::size_t node) const
    {
        for (int i = 0;; ++i)
            if (auto const name = "lock" + std::to_string(i); cluster.primary_of(name) == node)
                return name;
    }

    server_cluster cluster;
    std::string password = "secret";
    int changes = 0;
};

TEST_CASE("credentials: leases at all primaries survive changes of the password under load", "[credentials][cluster]")
{
    user_of_a_cluster user;
    live l;
    auto& c = l.client(user.options());
    bool is_over = false;
    int rounds = 0;
    auto const load = [&](std::string name) -> awaitable<void> {
        mutex const busy(c, name);
        while (!is_over) {
            auto held = co_await busy.acquire();
            co_await held.release();
            ++rounds;
            co_await sleep_for(1ms);
        }
    };
    l.run([&]() -> awaitable<void> {
        std::vector<lease> held;
        for (int i = 0; i < 30; ++i)
            held.push_back(co_await mutex(c, "held" + std::to_string(i)).acquire());
        for (std::size_t i = 0; i != user.cluster.size(); ++i)
            l.spawn([&, i] { return load(user.name_at(i)); });
        for (int i = 0; i < 15; ++i) {
            user.change_password();
            co_await sleep_for(100ms);
            if (i % 5 == 4)
                user.disconnect(static_cast<std::size_t>(i / 5));
            REQUIRE(are_valid(held));
        }
        co_await sleep_for(2s);  // the connections that were lost are there again
        CHECK(are_valid(held));
        is_over = true;
        co_await sleep_for(50ms);
        for (auto& each : held)
            co_await each.release();
    });
    CHECK(rounds > 10);
    for (std::size_t i = 0; i != user.cluster.size(); ++i)
        CHECK(user.cluster[i].calls("auth") > 1);
}

TEST_CASE(
    "credentials: one node that refuses the password concerns its locks only, until it accepts",
    "[credentials][cluster]")
{
    user_of_a_cluster user;
    live l;
    auto& c = l.client(user.options());
    auto const refused = user.name_at(1), fine = user.name_at(2);
    l.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, fine).acquire();
        user.set_password(1, "another");
        error_code ec;
        auto none = co_await mutex(c, refused).try_acquire({.wait = 300ms}, redirect(ec));
        CHECK(none.empty());
        CHECK((!ec || ec == errc::unavailable));  // no permanent refusal
        CHECK(held.valid());
        user.set_password(1, user.password);
        auto late = co_await mutex(c, refused).acquire();
        CHECK(late.valid());
        CHECK(held.valid());
    });
}

TEST_CASE("a query to a primary that refuses the user ends with its refusal at once", "[live][cluster]")
{
    user_of_a_cluster user;
    user.cluster[1].command({"ACL", "DELUSER", "app"});
    auto options = live::quick(user.cluster.url());
    options.url.insert(options.url.find("//") + 2, "app:secret@");
    options.command_timeout = 60s;
    live l;
    auto& c = l.client(options);
    auto const refused = user.name_at(1), fine = user.name_at(2);
    l.run([&]() -> awaitable<void> {
        // The first host of the URL is node 0.
        bool is_locked = co_await mutex(c, fine).is_locked();
        CHECK_FALSE(is_locked);
        auto const begun = std::chrono::steady_clock::now();
        for (int i = 0; i < 2; ++i) {
            auto const ec = co_await failure_of(mutex(c, refused).is_locked());
            CHECK(ec == errc::not_permitted);
        }
        CHECK(std::chrono::steady_clock::now() - begun < 30s);
        is_locked = co_await mutex(c, fine).is_locked();
        CHECK_FALSE(is_locked);
    });
}

}  // namespace
}  // namespace holdfast::test
