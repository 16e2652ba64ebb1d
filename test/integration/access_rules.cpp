//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The access rules of docs/operations.md, as they stand there: a user with these and no other rights can do everything.

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// The words of the first code block that begins so; a backslash at the end of a line continues it.
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

// A lock of each kind, and one that waits for it; the rules allow order:*.
struct kind {
    char const* name;
    maker hold;
    maker wait;
};

std::vector<kind> kinds()
{
    maker const plain = [](client& c) { return mutex(c, "order:m"); };
    maker const fenced = [](client& c) { return mutex(c, "order:f", {.fencing = true}); };
    maker const reentrant = [](client& c) { return reentrant_lock(c, "order:r", c.make_owner("label")); };
    maker const redisson = [](client& c) { return reentrant_lock(c, "order:rf", c.make_owner(), {.fencing = true}); };
    maker const fair = [](client& c) { return fair_lock(c, "order:q", {.fencing = true}); };
    maker const read = [](client& c) { return read_write_lock(c, "order:w").read(); };
    maker const write = [](client& c) { return read_write_lock(c, "order:w", {.fencing = true}).write(); };
    return {
        {"mutex", plain, plain},
        {"fenced mutex", fenced, fenced},
        {"reentrant_lock", reentrant, reentrant},
        {"fenced reentrant_lock", redisson, redisson},
        {"fair_lock", fair, fair},
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
    co_await sleep_for(1200ms);  // longer than the lease: renewed
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
    CHECK(why == loss::gone);
    error_code ec;
    co_await held.release(redirect(ec));
    CHECK(ec == errc::lease_lost);
}

TEST_CASE("the documented access rules name every command of every script", "[access]")
{
    auto const rules = documented_command("ACL SETUSER locks");
    std::string_view const call = "call('";
    for (auto const& script : engine::scripts::all)
        for (auto at = script.text.find(call); at != script.text.npos; at = script.text.find(call, at + 1)) {
            auto const begin = at + call.size();
            std::string const command(script.text.substr(begin, script.text.find('\'', begin) - begin));
            CAPTURE(script.name, command);
            CHECK(std::ranges::count(rules, "+" + command) == 1);
        }
}

TEST_CASE("the documented access rules are enough for everything", "[access]")
{
    redis_server server;
    auto const rules = documented_command("ACL SETUSER locks");
    REQUIRE(server.command(rules).text == "OK");
    auto options = live::quick("unix://locks:password@" + server.socket_path());
    options.lease = 1s;
    options.poll_interval = 1h;  // only messages wake
    std::vector<std::string> complaints;
    options.log = [&](log_level level, std::string_view line) {
        if (level >= log_level::warning)
            complaints.emplace_back(line);
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
    CHECK(complaints == std::vector<std::string>{});
    CHECK(server.command({"ACL", "LOG"}).items.empty());  // nothing was denied
}

}  // namespace
}  // namespace holdfast::test
