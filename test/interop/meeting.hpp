//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEROP_MEETING_HPP
#define HOLDFAST_TEST_INTEROP_MEETING_HPP

#include <chrono>
#include <string>
#include <vector>

#include "interop/peer_process.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// The lease time of both watchdogs: a grant lasts for this long without a renewal.
inline constexpr std::chrono::milliseconds meeting_lease{3'000};

// The waiter timeout of Holdfast's fair locks: after this time without a refresh a waiter counts as dead.
inline constexpr std::chrono::milliseconds meeting_waiter_timeout{5'000};

// Skips the test if Redisson cannot be run.
void require_redisson();

// A redis-server, and a client process of each library. Requires Redisson.
class meeting {
public:
    explicit meeting(std::chrono::milliseconds waiter_timeout = meeting_waiter_timeout);

    redis_server& server() noexcept { return server_; }
    peer_process& redisson() noexcept { return redisson_; }
    peer_process& holdfast() noexcept { return holdfast_; }

    // The number of subscribers of all channels whose names match. A waiter of either library has one subscription.
    long subscribers(std::string const& pattern);

    // Waits until a contender waits: no command of it is under way, and a message would reach it.
    void wait_until_waiting(lock_id const&, long waiters = 1);

    // The command lines of further processes, such as one to be killed.
    static std::vector<std::string> redisson_program(
        redis_server const&, std::chrono::milliseconds waiter_timeout = {});
    static std::vector<std::string> redisson_program(std::string urls, std::chrono::milliseconds waiter_timeout = {});
    static std::vector<std::string> holdfast_program(
        redis_server const&, std::chrono::milliseconds waiter_timeout = meeting_waiter_timeout);
    static std::vector<std::string> holdfast_program(
        std::string url, std::chrono::milliseconds waiter_timeout = meeting_waiter_timeout);

private:
    redis_server server_;
    peer_process redisson_;
    peer_process holdfast_;
};

// One meeting for all tests that leave nothing behind: their locks have names of their own.
meeting& the_meeting();

// The library that holds and the one that waits.
struct sides {
    peer_process& holder;
    peer_process& waiter;

    std::string direction() const { return holder.name() + " holds, " + waiter.name() + " waits"; }
};

// Both directions, by Catch2's generator: the test runs once for each.
sides any_sides(meeting&);

// A name that no other test uses.
std::string new_name();

// Whether the acquire was granted; waits for the answer.
bool is_grant(peer_process::request const&);

inline constexpr terms five_minutes{.lease = std::chrono::minutes(5)};
inline constexpr terms one_attempt{.wait = std::chrono::milliseconds(0)};

// The kinds of a holder and of a contender that it keeps out.
struct conflict {
    std::string holder;  // kinds
    std::string waiter;

    std::string text() const { return holder == waiter ? holder : holder + " / " + waiter; }
};

// All such pairs of kinds that both libraries have.
std::vector<conflict> const& conflicts();

// The kinds that both libraries have.
std::vector<std::string> const& kinds();

}  // namespace holdfast::test

#endif
