//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One lock over three servers, in both libraries: each of its members is the lock of one server.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "interop/meeting.hpp"
#include "support/child.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

lock_id const theirs{"red", "quorum"};

std::string urls_of(std::array<redis_server, 3> const& servers)
{
    return servers[0].tcp_url() + "," + servers[1].tcp_url() + "," + servers[2].tcp_url();
}

// Holdfast's red_lock, in this process.
red_lock lock_over(live& l, std::array<redis_server, 3> const& servers)
{
    std::vector<any_lock> members;
    for (auto const& s : servers) {
        auto& c = l.client(s.url());
        members.emplace_back(reentrant_lock(c, theirs.name, c.make_owner()));
    }
    return red_lock(members, {.node_timeout = 2s, .trust_new_nodes = true});
}

TEST_CASE(
    "a red_lock and a RedissonRedLock exclude each other, and each follows the other's release", "[interop][red_lock]")
{
    require_redisson();
    std::array<redis_server, 3> servers;
    peer_process redisson("Redisson", meeting::redisson_program(urls_of(servers)));
    live l;
    auto const ours = lock_over(l, servers);
    auto const meet = [&]() -> asio::awaitable<void> {
        for (int round = 0; round < 3; ++round) {
            auto const held = redisson.acquire(theirs, 1);
            REQUIRE(is_grant(held));
            auto const busy = co_await ours.try_acquire();
            CHECK(busy.empty());
            auto const left = redisson.release(theirs, 1);
            auto lease = co_await ours.acquire();
            CHECK(left.text() == "released");
            CHECK(redisson.acquire(theirs, 2, one_attempt).text() == "busy");

            auto const waiter = redisson.acquire(theirs, 2);
            co_await sleep_for(50ms);
            CHECK_FALSE(waiter.is_over());
            co_await lease.release();
            while (!waiter.is_over())  // granted when a majority is released: the other releases need this thread
                co_await sleep_for(1ms);
            CHECK(is_grant(waiter));
            CHECK(redisson.release(theirs, 2).text() == "released");
        }
    };
    l.run(meet);
    for (auto& s : servers)
        CHECK(wait_until([&] { return s.command({"EXISTS", theirs.name}).integer == 0; }));
}

}  // namespace
}  // namespace holdfast::test
