//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The access rules of docs/operations.md, exactly as documented: a user with these rights, and no others, can use the
// whole library.

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "support/acquire_calls.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Returns the words of the first documented command that begins with `begin`; a backslash at the end of a line
// continues it.
std::vector<std::string> documented_command(std::string const& begin)
{
    std::ifstream file(HOLDFAST_DOCS "/operations.md");
    std::string line;
    while (std::getline(file, line) && !line.starts_with(begin)) {}
    std::string all = line;
    for (; all.ends_with('\\') && std::getline(file, line); all += line)
        all.pop_back();
    std::istringstream in(all);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    if (words.empty())
        throw std::runtime_error("docs/operations.md has no " + begin);
    return words;
}

using maker = std::function<any_lock(client&)>;

// A kind of lock: how one client holds it, and how another one waits for it. The rules allow the keys order:*.
struct holder_and_waiter {
    char const* name;
    maker hold;
    maker wait;
};

std::vector<holder_and_waiter> kinds()
{
    maker const plain = [](client& c) { return mutex(c, "order:m"); };
    maker const fenced = [](client& c) { return mutex(c, "order:f", {.fencing = true}); };
    maker const reentrant = [](client& c) { return reentrant_lock(c, "order:r", c.make_owner("label")); };
    maker const redisson = [](client& c) { return reentrant_lock(c, "order:rf", c.make_owner(), {.fencing = true}); };
    maker const fair = [](client& c) { return fair_lock(c, "order:q", {.fencing = true}); };
    maker const read = [](client& c) { return read_write_lock(c, "order:w").read(); };
    maker const write = [](client& c) { return read_write_lock(c, "order:w", {.fencing = true}).write(); };
    maker const permit = [](client& c) { return semaphore(c, "order:s", {.permits = 1}); };
    maker const in_order = [](client& c) { return semaphore(c, "order:o", {.permits = 1, .fair = true}); };
    maker const lead = [](client& c) { return detail::make_candidate(election(c, "order:e"), "value", 5); };
    return {
        {"mutex", plain, plain},
        {"fenced mutex", fenced, fenced},
        {"reentrant_lock", reentrant, reentrant},
        {"fenced reentrant_lock", redisson, redisson},
        {"fair_lock", fair, fair},
        {"semaphore", permit, permit},
        {"fair semaphore", in_order, in_order},
        {"election", lead, lead},
        {"a reader waits", write, read},
        {"a writer waits", read, write}};
}

awaitable<void> take_in_turn(any_lock first, any_lock second, client& waits)
{
    auto held = co_await first.acquire();
    bool served = false;
    asio::co_spawn(
        co_await asio::this_coro::executor,
        [&]() -> awaitable<void> {
            auto next = co_await second.acquire();
            served = next.valid();
            co_await next.release();
        },
        asio::detached);
    auto const is_waiting = [&] { return waits.stats().waiting == 1; };
    auto const waited = co_await comes_true(is_waiting);
    CHECK(waited);
    auto const holders = co_await first.holders();
    CHECK(holders.size() == 1);
    co_await sleep_for(3500ms);  // longer than the lease time: renewed
    CHECK(held.valid());
    CHECK_FALSE(served);
    co_await held.release();
    auto const is_served = [&] { return served; };
    auto const was_served = co_await comes_true(is_served);
    CHECK(was_served);
}

awaitable<void> take_away(any_lock lock)
{
    auto held = co_await lock.acquire();
    auto const is_locked = co_await lock.is_locked();
    CHECK(is_locked);
    auto const taken = co_await lock.force_release();
    CHECK(taken);
    auto const why = co_await held.lost();
    CHECK(why == loss::key_missing);
    error_code ec;
    co_await held.release(redirect(ec));
    CHECK(ec == errc::lease_lost);
}

TEST_CASE("the documented access rules name every command of every script", "[access]")
{
    auto const rules = documented_command("ACL SETUSER locks");
    for (auto const& script : engine::scripts::all)
        for (auto const& command : commands_of(script)) {
            CAPTURE(script.name, command);
            CHECK(std::ranges::count(rules, "+" + command) == 1);
        }
}

TEST_CASE("a user with the documented access rules can use every kind of lock, and no command is denied", "[access]")
{
    redis_server server;
    auto const rules = documented_command("ACL SETUSER locks");
    REQUIRE(server.command(rules).text == "OK");
    auto options = live::quick("unix://locks:password@" + server.socket_path());
    options.lease = 3s;
    options.poll_interval = 1h;  // only messages end a wait
    std::vector<std::string> warnings;
    options.log = [&](log_level level, std::string_view line) {
        if (level >= log_level::warning)
            warnings.emplace_back(line);
    };
    for (auto const& k : kinds()) {
        CAPTURE(k.name);
        live l;
        auto& a = l.client(options);
        auto& b = l.client(options);
        l.run([&]() -> awaitable<void> {
            co_await take_in_turn(k.hold(a), k.wait(b), b);
            co_await take_away(k.hold(a));
            co_await a.shutdown();
            co_await b.shutdown();
        });
    }
    CHECK(warnings == std::vector<std::string>{});
    CHECK(server.command({"ACL", "LOG"}).items.empty());  // nothing was denied
}

TEST_CASE("a script with a denied command leaves the lock, or the latch, as it was", "[access]")
{
    redis_server server;
    auto const by_admin = [&](std::vector<std::string> const& text) { return server.command(text); };
    by_admin({"ACL", "SETUSER", "few", "on", ">password", "~*", "&*", "+@all"});
    resp_client user(server.socket_path());
    user.command({"AUTH", "few", "password"});
    restricted_server const restricted{
        .by_admin = by_admin,
        .by_user = [&](std::vector<std::string> const& text) { return user.command(text); },
        .deny =
            [&](std::string const& command) {
                by_admin({"ACL", "SETUSER", "few", "+@all"});
                if (!command.empty())
                    by_admin({"ACL", "SETUSER", "few", "-" + command});
            }};
    int refused = 0;
    for (auto const& calls : {acquire_calls(), latch_and_record_calls()})
        for (auto const& call : calls)
            refused += check_refusals(restricted, call);
    CHECK(refused > 150);
}

// Returns the keys that do not expire, without the fencing counters that are shared with Redisson: those never expire.
std::vector<std::string> keys_that_stay(redis_server& server)
{
    std::vector<std::string> all;
    for (auto const& key : server.command({"KEYS", "*"}).items)
        if (!key.text.starts_with("redisson_lock_token:") && server.command({"PTTL", key.text}).integer == -1)
            all.push_back(key.text);
    return all;
}

TEST_CASE("after an acquire with any one command denied, another client is granted the lock", "[access]")
{
    redis_server server;
    server.command(documented_command("ACL SETUSER locks"));
    live l;
    auto& denied = l.client("unix://locks:password@" + server.socket_path());
    auto& other = l.client(server.url());
    std::vector<std::string> const commands{
        "decrby",
        "exists",
        "getrange",
        "hexists",
        "hget",
        "hset",
        "incrby",
        "lrange",
        "pexpire",
        "pttl",
        "rpush",
        "set",
        "time",
        "type",
        "zadd",
        "zcard",
        "zrangebyscore",
        "zscore"};
    l.run([&]() -> awaitable<void> {
        co_await denied.ready(asio::use_awaitable);
        for (auto const& k : kinds())
            for (auto const& command : commands) {
                CAPTURE(k.name, command);
                server.command({"ACL", "SETUSER", "locks", "-" + command});
                error_code ec;
                auto got = co_await k.hold(denied).try_acquire({.lease = 5s}, redirect(ec));
                server.command({"ACL", "SETUSER", "locks", "+" + command});
                got = {};
                // Not as late as the end of the lease time.
                auto free = co_await k.hold(other).try_acquire({.wait = 4s, .lease = 60s}, redirect(ec));
                CHECK(free.valid());
                CHECK(keys_that_stay(server) == std::vector<std::string>());
                co_await free.release(redirect(ec));
            }
    });
}

}  // namespace
}  // namespace holdfast::test
