//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The work of a script does not grow with the number of contenders, holders or dead waiters: the server executes nothing
// else meanwhile.

#include <cstdio>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "support/metered_server.hpp"

namespace holdfast::test {
namespace {

namespace scripts = engine::scripts;

constexpr std::size_t few = 100, many = 10'000;

std::string waiter_of(std::size_t number)
{
    return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(number);
}

// A fair lock that is held, with that many waiters.
class crowded_fair_lock {
public:
    explicit crowded_fair_lock(std::size_t waiters) : size_(waiters)
    {
        acquire(usual(), waiters);
        auto const alive = std::to_string(server_.now_ms + 15'000);
        auto const now = std::to_string(server_.now_ms);
        server_.fill({"RPUSH", keys[1]}, 0, waiters, [](auto i) { return std::vector{waiter_of(i)}; });
        server_.fill({"ZADD", keys[2]}, 0, waiters, [&](auto i) { return std::vector{alive, waiter_of(i)}; });
        server_.fill({"ZADD", keys[3], now, "#seen"}, 0, waiters, [&](auto i) {
            return std::vector{alive, waiter_of(i), now, "#" + waiter_of(i)};
        });
        // The first one after that finds that no waiter is Redisson's.
        acquire(usual(), waiters + 1);
    }

    std::size_t newcomer() { return acquire(usual(), size_ + 2); }
    std::size_t repetition() { return acquire(usual(), size_ / 2); }
    std::size_t urgent_newcomer() { return acquire("10", size_ + 3); }
    std::size_t single_attempt() { return acquire("0", size_ + 4); }
    std::size_t refresh()
    {
        return server_.work_of(scripts::fair_refresh, keys, {"15000", "channel", waiter_of(size_ / 2)});
    }
    std::size_t departure() { return leave(size_ / 2); }
    // The holder releases the lock, and the first waiter acquires it.
    std::size_t grant() { return leave(size_) + acquire(usual(), 0); }
    // The first `count` waiters have crashed.
    std::size_t newcomer_behind_dead(std::size_t count)
    {
        for (auto const* const key : {&keys[2], &keys[3]})
            server_.fill({"ZADD", *key, "XX"}, 0, count, [](auto i) {
                return std::vector<std::string>{"1", waiter_of(i)};
            });
        leave(size_);
        return acquire(usual(), size_ + 5);
    }

private:
    static std::string usual() { return "5"; }
    std::size_t acquire(std::string const& priority, std::size_t number)
    {
        return server_.work_of(
            scripts::fair_acquire, keys, {waiter_of(number), "600000", "15000", "channel", priority, "86400000"});
    }
    std::size_t leave(std::size_t number)
    {
        return server_.work_of(scripts::fair_leave, keys, {waiter_of(number), "channel", "15000"});
    }

    std::vector<std::string> const keys{"lock", "queue", "timeouts", "waiters", "priorities"};
    metered_server server_;
    std::size_t const size_;
};

TEST_CASE("no script of a fair lock does more work when more contenders wait", "[fair_lock][bounds]")
{
    crowded_fair_lock a(few), b(many);
    struct {
        char const* what;
        std::size_t (crowded_fair_lock::*work)();
    } const actions[] = {
        {"a newcomer", &crowded_fair_lock::newcomer},
        {"a repeated attempt", &crowded_fair_lock::repetition},
        {"a single attempt", &crowded_fair_lock::single_attempt},
        {"a refresh", &crowded_fair_lock::refresh},
        {"a waiter that leaves", &crowded_fair_lock::departure},
        {"a grant", &crowded_fair_lock::grant},
    };
    for (auto const& action : actions) {
        CAPTURE(action.what);
        auto const of_few = (a.*action.work)(), of_many = (b.*action.work)();
        std::printf(
            "figure  %s of a fair lock: %zu words with %zu waiters, %zu with %zu\n",
            action.what,
            of_few,
            few,
            of_many,
            many);
        CHECK(of_few == of_many);
        CHECK(of_many < 150);
    }
}

TEST_CASE("a newcomer of a higher priority passes at most a thousand waiters of a fair lock", "[fair_lock][bounds]")
{
    crowded_fair_lock all(many);
    CHECK(all.urgent_newcomer() < 8'000);
}

TEST_CASE("one script removes at most 500 dead waiters of a fair lock", "[fair_lock][bounds]")
{
    crowded_fair_lock a(1'500), b(many);
    auto const of_few = a.newcomer_behind_dead(1'200), of_many = b.newcomer_behind_dead(many - 100);
    CHECK(of_few == of_many);
    CHECK(of_many < 10'000);
}

// One of Redisson's clients.
std::string redisson_permit_of(std::size_t number)
{
    auto const digits = std::to_string(number);
    return std::string(16 - digits.size(), '0') + digits;
}

// A semaphore whose permits are all held, and the clients that wait for some of them. The permits of ours end soon. Those
// of Redisson have scores as if they did, and end after that.
class crowded_semaphore {
public:
    explicit crowded_semaphore(
        std::size_t permits, std::size_t waiters, std::size_t weight, std::size_t redisson_permits = 0)
    {
        auto const end = std::to_string(server_.now_ms + 13'000);
        server_.fill({"ZADD", keys[1]}, 0, permits, [&](auto i) { return std::vector{end, waiter_of(i)}; });
        auto const later = std::to_string(server_.now_ms + 1'000);
        if (redisson_permits > 0)
            server_.fill({"ZADD", keys[1]}, 0, redisson_permits, [&](auto i) {
                return std::vector{later, redisson_permit_of(i)};
            });
        CHECK_FALSE(server_.say({"SET", keys[0], "0"}).is_error());
        auto const score = std::to_string((std::int64_t(weight) << 42) + server_.now_ms);
        server_.fill({"ZADD", keys[2]}, permits, waiters, [&](auto i) { return std::vector{score, waiter_of(i)}; });
    }

    std::size_t release() { return server_.work_of(scripts::permits_release, keys, {"channel", waiter_of(0), "1"}); }
    std::size_t calls(std::string const& command) const { return server_.calls(command); }

private:
    std::vector<std::string> const keys{"permits", "timeouts", "waiting"};
    metered_server server_;
};

TEST_CASE("a release of a permit does no more work when more permits end soon", "[semaphore][bounds]")
{
    auto const of_few = crowded_semaphore(few, 1, 3).release(), of_many = crowded_semaphore(many, 1, 3).release();
    std::printf("figure  a release of a permit: %zu words with %zu others, %zu with %zu\n", of_few, few, of_many, many);
    CHECK(of_few == of_many);
    CHECK(of_many < 60);
}

TEST_CASE(
    "a release of a permit looks once for permits that end soon, however many waiters are gone", "[semaphore][bounds]")
{
    auto const of_few = crowded_semaphore(few, 1'000, 3).release(),
               of_many = crowded_semaphore(many, 1'000, 3).release();
    CHECK(of_few == of_many);
    CHECK(of_many < 9'000);
}

// The server goes over all that a search has read to find what comes next, so the number of reads must not grow with them.
TEST_CASE(
    "a release of a permit looks in few reads for permits that end soon, however many do not", "[semaphore][bounds]")
{
    crowded_semaphore s(few, 1, 2, many);
    s.release();
    auto const reads = s.calls("zrangebyscore");
    std::printf("figure  a release of a permit: %zu reads with %zu others\n", reads, many);
    CHECK(reads > 1);
    CHECK(reads < 20);
}

}  // namespace
}  // namespace holdfast::test
