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

// A semaphore whose permits are all held, and end soon, and the clients that wait for some of them.
class crowded_semaphore {
public:
    explicit crowded_semaphore(std::size_t permits, std::size_t waiters, std::size_t weight)
    {
        auto const end = std::to_string(server_.now_ms + 13'000);
        server_.fill({"ZADD", keys[1]}, 0, permits, [&](auto i) { return std::vector{end, waiter_of(i)}; });
        CHECK_FALSE(server_.say({"SET", keys[0], "0"}).is_error());
        auto const score = std::to_string((std::int64_t(weight) << 42) + server_.now_ms);
        server_.fill({"ZADD", keys[2]}, permits, waiters, [&](auto i) { return std::vector{score, waiter_of(i)}; });
    }

    std::size_t release() { return server_.work_of(scripts::permits_release, keys, {"channel", waiter_of(0), "1"}); }

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

}  // namespace
}  // namespace holdfast::test
