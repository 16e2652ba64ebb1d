//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A process that hands a lock off among its own tasks also yields it to other processes.

#include <algorithm>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "support/child.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("each of two processes with twenty tasks gets 40 to 60 % of the grants of a mutex", "[yielding]")
{
    redis_server server;
    std::vector<std::unique_ptr<child>> both;
    for (int i = 0; i < 2; ++i)
        both.push_back(std::make_unique<child>(
            std::vector<std::string>{HOLDFAST_LIVE_CHILD, "contend", server.url(), "m", "20", "5000"}));
    REQUIRE(
        wait_until([&] { return std::ranges::all_of(both, [](auto& c) { return !c->reported("ready").empty(); }); }));
    for (auto& c : both)
        c->signal(SIGUSR1);
    REQUIRE(
        wait_until([&] { return std::ranges::all_of(both, [](auto& c) { return !c->reported("grants").empty(); }); }));
    auto const first = std::stol(both[0]->reported("grants "));
    auto const second = std::stol(both[1]->reported("grants "));
    CHECK(first + second > 200);
    CHECK(std::max(first, second) * 10 <= (first + second) * 6);
    WARN("grants " << first << " : " << second);
    CHECK(wait_until([&] { return server.command({"EXISTS", "m"}).integer == 0; }));
}

}  // namespace
}  // namespace holdfast::test
