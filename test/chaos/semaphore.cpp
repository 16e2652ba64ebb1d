//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes acquire permits while connections are killed, scripts flushed, the server and the processes paused, and
// processes killed: the permits of the valid leases never add up to more than there are, no two have the same number,
// the tokens of a number grow, and no permit is lost. HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned permits = 4;

battlefield::words_of permit_contenders(int tasks)
{
    return [tasks](redis_server& server, std::size_t) -> std::vector<std::string> {
        return {
            HOLDFAST_PERMIT_CONTENDER,
            server.url(),
            std::to_string(tasks),
            std::to_string(chaos_lease.count()),
            std::to_string(chaos_waiter_timeout.count()),
            std::to_string(permits)};
    };
}

// The greatest number of permits of each semaphore that were held at the same time.
struct permit_account {
    std::map<std::string, unsigned> most;
    std::map<std::string, std::size_t> grants;
};

permit_account account_of(battlefield const& b)
{
    struct change {
        std::int64_t at;
        int difference;
        auto operator<=>(change const&) const = default;  // at one instant permits are released first
    };
    std::map<std::string, std::vector<change>> changes;
    permit_account account;
    for (auto const& line : b.reported("permits")) {
        std::istringstream words(line);
        std::string name;
        std::int64_t from = 0, to = 0;
        int weight = 0;
        words >> name >> from >> to >> weight;
        ++account.grants[name];
        if (from < to)
            changes[name].insert(changes[name].end(), {{from, weight}, {to, -weight}});
    }
    for (auto& [name, all] : changes) {
        std::ranges::sort(all);
        int held = 0;
        for (auto const& c : all)
            account.most[name] = std::max(account.most[name], static_cast<unsigned>(held += c.difference));
    }
    return account;
}

// After everything has ended, and one lease time has passed, all permits are free.
void check_permits_are_free(redis_server& server)
{
    live l;
    auto options = live::quick(server.url());
    options.lease = chaos_lease;
    auto& c = l.client(options);
    for (std::string const name : {"plain", "fair", "numbered"}) {
        CAPTURE(name);
        semaphore const s(
            c, name, {.permits = permits, .fair = name == "fair", .waiter_timeout = chaos_waiter_timeout});
        l.run([&]() -> asio::awaitable<void> {
            auto const all = co_await s.try_acquire(
                {.wait = chaos_lease + chaos_waiter_timeout + 5s, .weight = permits});
            CHECK(all.valid());
            auto const count = co_await s.permits();
            CHECK(count.total == permits);
        });
    }
}

TEST_CASE("a semaphore never has too many valid permits under faults, and loses none", "[chaos][semaphore]")
{
    battlefield b(8, permit_contenders(30), chaos_lease, chaos_seed());
    auto const calm = b.calm(2s);
    b.rage(chaos_time());
    b.end();
    check_permits_are_free(b.server());

    auto account = account_of(b);
    for (std::string const name : {"plain", "fair", "numbered"}) {
        CAPTURE(name);
        CHECK(account.most[name] <= permits);
        CHECK(account.grants[name] > 100);
        std::cout << "permit chaos, " << name << ": " << account.grants[name] << " grants, at most "
                  << account.most[name] << " of " << permits << " permits at once\n";
    }
    auto const violation = find_violation(b.holds());  // of the numbers
    CHECK(violation.value_or("none") == "none");
    CHECK(b.unavailable_in(calm) == 0);
    std::cout << "permit chaos: " << to_string(b.done()) << ", violations: " << violation.value_or("none") << std::endl;
}

// A fault that the library cannot tolerate: the server's clock steps forward by 5 s, again and again. For the permits
// that are held at that time it is the same as if they ended so much earlier, because their ends are instants of that
// clock.
TEST_CASE("chaos: the account finds too many permits when the server's clock steps forward", "[chaos][semaphore]")
{
    battlefield b(3, permit_contenders(30), chaos_lease, 1);
    b.calm(1s);
    for (int i = 0; i < 100; ++i) {
        b.server().command(
            {"EVAL",
             "for _, member in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do"
             " redis.call('zincrby', KEYS[1], -5000, member) end",
             "1",
             "{plain}:timeout"});
        std::this_thread::sleep_for(20ms);
    }
    b.end();
    auto const most = account_of(b).most["plain"];
    CHECK(most > permits);
    std::cout << "negative control, clock: " << most << " permits at once of " << permits << std::endl;
}

// A fault that the library need not tolerate: somebody raises the counter.
TEST_CASE("chaos: the account finds too many permits when the counter is raised", "[chaos][semaphore]")
{
    battlefield b(3, permit_contenders(30), chaos_lease, 1);
    b.calm(1s);
    b.server().command({"INCRBY", "plain", "3"});
    std::this_thread::sleep_for(3s);
    b.end();
    auto const most = account_of(b).most["plain"];
    CHECK(most > permits);
    std::cout << "negative control: " << most << " permits at once of " << permits << std::endl;
}

}  // namespace
}  // namespace holdfast::test
