//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// An acquire that the server refuses, whatever its script has written by then, leaves no key that holds the lock.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/arena.hpp"
#include "support/acquire_calls.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

restricted_server restricted(arena& a)
{
    auto& s = a.server();
    auto const say = [&s](std::vector<std::string> const& text) {
        std::vector<std::string_view> const words(text.begin(), text.end());
        return s.execute(words);
    };
    auto denied = std::make_shared<std::string>();
    return {
        .by_admin =
            [=, &s](std::vector<std::string> const& text) {
                s.model().allow_all();
                return say(text);
            },
        .by_user =
            [=, &s](std::vector<std::string> const& text) {
                s.model().allow_all();
                if (!denied->empty())
                    s.model().deny_command(*denied);
                return say(text);
            },
        .deny = [=](std::string const& command) { *denied = command; }};
}

TEST_CASE("a script that fails leaves the lock, or the latch, unchanged and no key without a time to live", "[refused]")
{
    arena a;
    auto const server = restricted(a);
    int refused = 0;
    for (auto const& calls : {acquire_calls(), latch_and_record_calls()})
        for (auto const& call : calls)
            refused += check_refusals(server, call);
    CHECK(refused > 160);
}

TEST_CASE("a leadership is renewed also if its record cannot be", "[refused][election]")
{
    arena a;
    auto const server = restricted(a);
    server.by_admin({"HSET", "L", "me", "1"});
    server.by_admin({"PEXPIRE", "L", "20000"});
    server.by_admin({"HSET", "holdfast_leader:{L}", "holder", "me"});
    server.deny("pexpire");
    std::string const text(engine::scripts::election_renew.text);
    auto const kept = server.by_user(
        {"EVAL", text, "2", "L", "holdfast_leader:{L}", "me", "10000", "1", "value", "5", "observers"});
    REQUIRE(kept.items.size() == 1);
    CHECK(kept.items[0].integer == 1);
}

// The type of the counter makes the script fail after it has written the lock. DEL is denied until the script has tried
// to undo that.
TEST_CASE("the client releases an acquire whose failed script could not undo its write", "[refused]")
{
    arena a;
    auto& c = a.client();
    a.server().execute({"RPUSH", "holdfast_fence:{m}", "x"});
    bool was_tried = false;
    a.server().check([&](executed const& e) {
        if (!e.what.in_script || e.what.args[0] != "unlink" || std::exchange(was_tried, true))
            return;
        a.server().model().allow_all();
    });
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().deny_command("unlink");
        auto const refused = co_await error_of(mutex(c, "m", {.fencing = true}).acquire(use_awaitable));
        CHECK(refused == errc::wrong_type);
        CHECK(was_tried);
        co_await a.sleep(100ms);
        CHECK_FALSE(a.exists("m"));
        CHECK(a.census(c) == engine::client_engine::census{});
    });
}

TEST_CASE("the client sends no release when the server refuses a plain SET", "[refused]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.commands();
        a.server().model().deny_command("set");
        auto const refused = co_await error_of(mutex(c, "m").acquire(use_awaitable));
        CHECK(refused == errc::not_permitted);
        co_await a.sleep(1s);
        CHECK(a.commands() == std::vector<std::string>{"SET"});
    });
}

}  // namespace
}  // namespace holdfast::test
