//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Processes stand for election and observe while connections are killed, scripts flushed, the server and the processes
// paused, and processes killed: no two leaders are valid at once, the terms grow, and no observer goes back.
// HOLDFAST_CHAOS_SECONDS is the time with faults.

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto candidate_timeout = 3000ms;

battlefield::words_of candidates(int tasks)
{
    return [tasks](redis_server& server, std::size_t) -> std::vector<std::string> {
        return {
            HOLDFAST_CANDIDATE,
            server.url(),
            std::to_string(tasks),
            std::to_string(chaos_lease.count()),
            std::to_string(candidate_timeout.count())};
    };
}

// After how long the observers knew of each leader that they saw, in ms, in order. The processes are stopped at times,
// so the greatest of them say nothing.
std::vector<double> delays_of(battlefield const& b)
{
    std::map<std::uint64_t, std::int64_t> begins;
    std::uint64_t term = 0;
    std::int64_t at = 0;
    for (auto const& line : b.reported("leads"))
        if (std::istringstream(line) >> term >> at)
            begins[term] = at;
    std::vector<double> all;
    for (auto const& line : b.reported("seen"))
        if (std::istringstream(line) >> term >> at && begins.contains(term))
            all.push_back(static_cast<double>(at - begins[term]) / 1e6);
    std::ranges::sort(all);
    return all;
}

TEST_CASE("an election never has two valid leaders under faults, and no observer goes back", "[chaos][election]")
{
    battlefield b(8, candidates(4), chaos_lease, chaos_seed());
    auto const calm = b.calm(2s);
    b.rage(chaos_time());
    b.end();

    live l;
    auto& c = l.client(live::quick(b.server().url()));
    l.run([&]() -> asio::awaitable<void> {
        election const boss(c, "boss", {.candidate_timeout = candidate_timeout});
        auto const me = co_await boss.campaign("the last", {.wait = chaos_lease + candidate_timeout + 5s});
        CHECK(me.valid());
    });

    auto const terms = b.reported("leads").size();
    auto const delays = delays_of(b);
    auto const violation = find_violation(b.holds());
    CHECK(violation.value_or("none") == "none");
    CHECK(b.reported("back").empty());
    CHECK(b.unavailable_in(calm) == 0);
    CHECK(terms > 50);
    REQUIRE(delays.size() > 50);
    std::cout << "election chaos: " << terms << " terms, " << delays.size() << " observations, known "
              << delays[delays.size() / 2] << " ms after the begin of a term (median); " << to_string(b.done())
              << ", violations: " << violation.value_or("none") << std::endl;
}

}  // namespace
}  // namespace holdfast::test
