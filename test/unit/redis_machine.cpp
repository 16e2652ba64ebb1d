//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "redis/machine.hpp"

namespace redis_machine_test {

using namespace holdfast::redis;

TEST_CASE("machine: a forked child counts one fork more than its parent", "[redis]")
{
    auto const before = count_of_forks();
    auto const child = ::fork();
    if (child == 0)
        ::_exit(count_of_forks() == before + 1 ? 0 : 1);
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(count_of_forks() == before);
}

TEST_CASE("machine: random_bytes() returns a different identity each time", "[redis]")
{
    std::set<std::array<std::uint8_t, 16>> drawn;
    for (int i = 0; i < 100; ++i)
        drawn.insert(random_bytes());
    CHECK(drawn.size() == 100);
}

TEST_CASE("machine: boot_time() is positive and does not decrease", "[redis]")
{
    auto const t = boot_time();
    CHECK(t.time_since_epoch().count() > 0);
    CHECK(boot_time() >= t);
}

TEST_CASE("machine: the default client name ends with the process id and is valid for CLIENT SETNAME", "[redis]")
{
    auto const name = default_client_name();
    CHECK(name.ends_with(":" + std::to_string(::getpid())));
    for (char const c : name)
        CHECK((c > ' ' && c <= '~'));
}

TEST_CASE("machine: the jitter depends only on its seed", "[redis]")
{
    jitter_source a(1);
    jitter_source b(1);
    jitter_source c(2);
    auto const x = a.next();
    CHECK(x == b.next());
    CHECK(x != c.next());
    CHECK(x != a.next());
}

}  // namespace redis_machine_test
