//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// How many scripts a grant of a permit costs the server when many processes wait: acquire and release together.

#include <cstddef>
#include <cstdio>
#include <ranges>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

struct herd {
    arena world;
    semaphore_options options;
    unsigned grants = 0;
    bool is_over = false;
    std::size_t left = 0;

    awaitable<void> work(semaphore of, std::string where)
    {
        while (!is_over) {
            auto lease = co_await of.acquire();
            ++grants;
            co_await world.sleep(5ms, where);
            co_await lease.release();
        }
        --left;
    }
    awaitable<double> measure()
    {
        co_await world.sleep(300ms);
        world.commands();
        auto const before = grants;
        co_await world.sleep(2s);
        auto const sent = world.commands();
        auto const scripts = std::ranges::count_if(sent, [](auto const& c) { return c.starts_with("EVAL"); });
        auto const per_grant = double(scripts) / double(grants - before);
        for (is_over = true; left > 0;)
            co_await world.sleep(10ms);
        co_return per_grant;
    }
};

// With so many processes, each of which has some contenders. With a lease time below a third of waiter_timeout each grant
// of a fair semaphore would also notify the next waiter, which costs a script.
double scripts_for_a_grant(std::size_t processes, std::size_t contenders, semaphore_options const& options)
{
    herd h;
    h.options = options;
    for (std::size_t p = 0; p < processes; ++p) {
        auto const where = "P" + std::to_string(p);
        auto& c = h.world.client(where, {.lease = 30s, .command_timeout = 500ms, .poll_interval = 30s});
        for (std::size_t n = 0; n < contenders; ++n, ++h.left)
            h.world.spawn(h.work({c, "permits", options}, where), where);
    }
    double scripts = 0;
    auto const run = [&]() -> awaitable<void> { scripts = co_await h.measure(); };
    h.world.run(run());
    std::printf(
        "figure  %s semaphore of %u: %zu processes x %zu: %.2f scripts for a grant\n",
        options.fair            ? "fair"
        : options.with_redisson ? "with_redisson"
                                : "unfair",
        options.permits,
        processes,
        contenders,
        scripts);
    return scripts;
}

TEST_CASE("scripts for a grant of a fair semaphore do not grow with the processes that wait", "[semaphore][herd]")
{
    for (std::size_t const processes : {1U, 4U, 12U, 64U})
        CHECK(scripts_for_a_grant(processes, 1, {.permits = 1, .fair = true}) <= 3.2);
    CHECK(scripts_for_a_grant(12, 1, {.permits = 4, .fair = true}) <= 3.2);
    CHECK(scripts_for_a_grant(4, 16, {.permits = 1, .fair = true}) <= 3.2);
}

TEST_CASE("scripts for a grant of a semaphore do not grow with the processes that wait", "[semaphore][herd]")
{
    for (std::size_t const processes : {1U, 4U, 12U, 64U})
        CHECK(scripts_for_a_grant(processes, 1, {.permits = 1}) <= 3.7);
    CHECK(scripts_for_a_grant(12, 1, {.permits = 4}) <= 3.7);
    CHECK(scripts_for_a_grant(12, 1, {.permits = 4, .numbered = true}) <= 3.7);
    CHECK(scripts_for_a_grant(4, 16, {.permits = 1}) <= 3.7);
}

TEST_CASE("with_redisson they grow with the processes that wait, not with their waiters", "[semaphore][herd]")
{
    for (std::size_t const processes : {1U, 4U, 12U, 64U})
        CHECK(scripts_for_a_grant(processes, 1, {.permits = 1, .with_redisson = true}) <= 2.5 + double(processes));
    CHECK(scripts_for_a_grant(12, 1, {.permits = 4, .with_redisson = true}) <= 14.5);
    CHECK(scripts_for_a_grant(4, 16, {.permits = 1, .with_redisson = true}) <= 6.5);
}

}  // namespace
}  // namespace holdfast::test
