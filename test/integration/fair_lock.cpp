//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Many waiters in many processes, some of which give up or are killed: the others are served in order of arrival.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/child.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int process_count = 8;
constexpr int crowd = 63;  // of each process
constexpr auto queue_key = "redisson_lock_queue:{f}";

// A process and the number of one of its waiters.
using waiter_id = std::pair<int, int>;

// Returns the waiters in the order of the server's queue. A client numbers its tokens from 1, in order.
std::vector<waiter_id> line_of(redis_server& server, std::vector<std::string> const& ids)
{
    std::vector<waiter_id> line;
    for (auto const& holder : server.command({"LRANGE", queue_key, "0", "-1"}).items) {
        auto const colon = holder.text.find(':');
        auto const found = std::ranges::find(ids, holder.text.substr(0, colon));
        line.emplace_back(int(found - ids.begin()), std::stoi(holder.text.substr(colon + 1)) - 1);
    }
    return line;
}

// Returns the waiters that were served, in the order of their fencing tokens.
std::vector<waiter_id> served_of(std::vector<std::unique_ptr<child>> const& all)
{
    std::vector<std::pair<long long, waiter_id>> served;
    for (int p = 0; p < process_count; ++p)
        for (auto const& line : all[std::size_t(p)]->lines())
            if (line.starts_with("served ")) {
                auto const space = line.find(' ', 7);
                served.push_back({std::stoll(line.substr(7, space - 7)), {p, std::stoi(line.substr(space + 1))}});
            }
    std::ranges::sort(served);
    std::vector<waiter_id> order;
    for (auto const& s : served)
        order.push_back(s.second);
    return order;
}

std::int64_t commands(redis_server& server)
{
    std::int64_t sum = 0;
    for (auto const* name : {"eval", "evalsha", "subscribe", "unsubscribe", "ping"})
        sum += server.calls(name);
    return sum;
}

TEST_CASE(
    "five hundred waiters in eight processes are served in order, although some give up or are killed", "[fair_lock]")
{
    redis_server server;
    std::vector<std::unique_ptr<child>> all;
    for (int i = 0; i < process_count; ++i)
        all.push_back(std::make_unique<child>(
            std::vector<std::string>{HOLDFAST_LIVE_CHILD, "line", server.url(), "f", std::to_string(crowd)}));
    REQUIRE(
        wait_until([&] { return std::ranges::all_of(all, [](auto& c) { return !c->reported("ready").empty(); }); }));
    std::vector<std::string> ids;
    for (auto& c : all)
        ids.push_back(c->reported("id ").substr(0, 36));

    live l;
    auto& mine = l.client(server.url());
    lease held;
    auto const take = [&]() -> asio::awaitable<void> {
        held = co_await fair_lock(mine, "f", {.fencing = true}).acquire({.lease = 5min});
    };
    l.run(take);
    auto const began = std::chrono::steady_clock::now();
    auto const before = commands(server);
    for (auto& c : all)
        c->signal(SIGUSR1);
    auto const length = [&] { return server.command({"LLEN", queue_key}).integer; };
    REQUIRE(wait_until([&] { return length() == process_count * crowd; }));
    auto expected = line_of(server, ids);

    // Every eighth waiter gives up, and one of the eight processes is killed.
    constexpr int killed = process_count - 1;
    for (int i = 0; i < killed; ++i)
        all[std::size_t(i)]->signal(SIGUSR1);
    constexpr auto gave_up = killed * ((crowd + 4) / 8);
    REQUIRE(wait_until([&] { return length() == process_count * crowd - gave_up; }));
    all[killed]->signal(SIGKILL);
    std::erase_if(expected, [](waiter_id const& w) { return w.first == killed || w.second % 8 == 3; });

    auto const released = std::chrono::steady_clock::now();
    auto const give_back = [&]() -> asio::awaitable<void> { co_await held.release(); };
    l.run(give_back);
    REQUIRE(wait_until(
        [&] { return std::all_of(all.begin(), all.end() - 1, [](auto& c) { return !c->reported("end").empty(); }); }));
    auto const took = std::chrono::steady_clock::now() - released;
    CHECK(served_of(all) == expected);
    // The waiters of the killed process ended together: after one waiter timeout the script skips all of them.
    CHECK(took < 3s + 30s);

    // The waiters of the killed process may be the last ones. Then they stay in the queue until the next acquire, or
    // for a day.
    auto const pass_the_dead = [&]() -> asio::awaitable<void> {
        auto last = co_await fair_lock(mine, "f", {.fencing = true, .waiter_timeout = 3s}).acquire();
        co_await last.release();
    };
    l.run(pass_the_dead);
    CHECK(server.command({"EXISTS", "f", queue_key}).integer == 0);

    // At most two refreshes a second for each process.
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    auto const refreshes = 2 * process_count * (seconds + 1);
    auto const each = (double(commands(server) - before) - refreshes) / (process_count * crowd);
    CHECK(each <= 6);
    WARN(
        "served " << expected.size() << " in " << std::chrono::duration<double>(took).count() << " s; "
                  << commands(server) - before << " commands in " << seconds << " s");
}

// Nobody releases, so no message tells a waiter that it is first.
TEST_CASE("eight contenders for a fair lock are served in order as leases of 500 ms end", "[fair_lock][expiry]")
{
    constexpr int contenders = 8;
    redis_server server;
    std::vector<int> expected, served;
    std::vector<lease> ended;  // their destructors would release them
    int over = 0;
    live l;
    auto options = live::quick(server.url());
    options.poll_interval = config{}.poll_interval;
    l.run([&]() -> asio::awaitable<void> {
        auto first = co_await fair_lock(l.client(options), "f").acquire();
        for (int i = 0; i != contenders; ++i) {
            expected.push_back(i);
            auto& c = l.client(options);
            l.spawn([&, i]() -> asio::awaitable<void> {
                auto mine = co_await fair_lock(c, "f").try_acquire({.wait = 10s, .lease = 500ms});
                if (mine.valid())
                    served.push_back(i);
                ended.push_back(std::move(mine));
                ++over;
            });
            bool const waits = co_await comes_true([&] {
                return server.command({"LLEN", queue_key}).integer == i + 1;
            });
            REQUIRE(waits);
        }
        co_await first.release();
        bool const are_over = co_await comes_true([&] { return over == contenders; });
        CHECK(are_over);
        CHECK(served == expected);
    });
}

}  // namespace
}  // namespace holdfast::test
