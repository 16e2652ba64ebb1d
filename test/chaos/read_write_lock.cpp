//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// 50 readers and 3 writers in 4 processes, while connections are killed, scripts flushed, the server and the processes
// paused, and processes killed: readers overlap only readers, and writers do not starve. HOLDFAST_CHAOS_SECONDS is the
// time with faults.

#include <algorithm>
#include <iostream>

#include <catch2/catch_test_macros.hpp>

#include "chaos/battlefield.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t processes = 4;
constexpr std::size_t readers = 50;
constexpr std::size_t writers = 3;

// A writer waits for the keys of killed processes to expire, for a paused server, and for reconnections, several times.
constexpr std::int64_t longest_write_wait_ms = 30'000;

std::size_t share_of(std::size_t all, std::size_t number)
{
    return all / processes + (number < all % processes ? 1 : 0);
}

std::vector<std::string> read_write_contender(redis_server& server, std::size_t number)
{
    return {
        HOLDFAST_READ_WRITE_CONTENDER,
        server.url(),
        std::to_string(share_of(readers, number)),
        std::to_string(share_of(writers, number)),
        std::to_string(chaos_lease.count())};
}

TEST_CASE("readers overlap only readers while connections, processes and the server fail", "[chaos]")
{
    battlefield b(processes, read_write_contender, chaos_lease, chaos_seed());
    auto const calm = b.calm(2s);
    b.rage(chaos_time());
    b.end();

    auto holds = b.holds();
    auto const reads = std::ranges::count_if(holds, [](auto const& h) { return h.shared; });
    auto const writes = std::ssize(holds) - reads;
    auto const violation = find_violation(std::move(holds));
    CHECK(violation.value_or("none") == "none");
    CHECK(reads > 500);
    CHECK(writes > 20);
    CHECK(b.unavailable_in(calm) == 0);

    std::int64_t longest = 0;
    for (auto const& line : b.reported("waited"))
        longest = std::max<std::int64_t>(longest, std::stoll(line));
    CHECK(longest < longest_write_wait_ms);
    std::cout << "read-write chaos: " << reads << " reads, " << writes << " writes, the longest wait of a writer "
              << longest << " ms, " << to_string(b.done()) << ", violations: " << violation.value_or("none")
              << std::endl;
}

}  // namespace
}  // namespace holdfast::test
