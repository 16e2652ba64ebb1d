//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes queue up for fair locks while connections are killed, scripts flushed, the server and the processes paused,
// and processes killed: no two hold a lock at once, fencing tokens grow, and no waiter is forgotten. The order is not
// checked: a waiter that is paused or cut off for longer than the waiter timeout loses its place.
// HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <algorithm>
#include <iostream>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// A waiter waits for the keys of killed processes to expire, for a paused server, and for reconnections, several times.
constexpr std::int64_t longest_wait_ms = 45'000;

std::vector<std::string> fair_contender(redis_server& server, std::size_t)
{
    return {
        HOLDFAST_FAIR_CONTENDER,
        server.url(),
        "30",
        std::to_string(chaos_lease.count()),
        std::to_string(chaos_waiter_timeout.count())};
}

void check_fair_locks_are_free(redis_server& server)
{
    live l;
    auto options = live::quick(server.url());
    options.lease = chaos_lease;
    auto& c = l.client(options);
    for (bool const fenced : {false, true}) {
        fair_lock const lock(
            c, fenced ? "fenced_fair" : "fair", {.fencing = fenced, .waiter_timeout = chaos_waiter_timeout});
        l.run([&]() -> asio::awaitable<void> {
            auto const held = co_await lock.try_acquire({.wait = chaos_lease + chaos_waiter_timeout + 5s});
            CHECK(held.valid());
        });
    }
}

TEST_CASE("mutual exclusion of fair locks holds under faults, and every wait is bounded", "[chaos][fair_lock]")
{
    battlefield b(4, fair_contender, chaos_lease, chaos_seed());
    auto const calm = b.calm(2s);
    b.rage(chaos_time());
    b.end();  // all waiters of those that end well are served
    check_fair_locks_are_free(b.server());

    auto holds = b.holds();
    auto const grants = holds.size();
    auto const fenced = std::ranges::count_if(holds, [](auto const& h) { return h.fence != 0; });
    auto const violation = find_violation(std::move(holds));
    CHECK(violation.value_or("none") == "none");
    CHECK(grants > 100);
    CHECK(fenced > 20);
    CHECK(b.unavailable_in(calm) == 0);

    std::int64_t longest = 0;
    for (auto const& line : b.reported("waited"))
        longest = std::max<std::int64_t>(longest, std::stoll(line));
    CHECK(longest < longest_wait_ms);
    std::cout << "fair chaos: " << grants << " grants, " << fenced << " of them fenced, the longest wait " << longest
              << " ms, " << to_string(b.done()) << ", violations: " << violation.value_or("none") << std::endl;
}

}  // namespace
}  // namespace holdfast::test
