//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_CONTEST_HPP
#define HOLDFAST_TEST_SIMULATION_CONTEST_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <holdfast.hpp>

#include "support/interval_checker.hpp"
#include "support/simulation.hpp"

namespace holdfast::test {

// Without a kind, one of the first four is drawn for each lock.
enum class contested_kind { mutex, fenced_mutex, reentrant, fenced_reentrant, read_write, fair, fenced_fair };
inline constexpr contested_kind every_kind[] = {
    contested_kind::mutex,
    contested_kind::fenced_mutex,
    contested_kind::reentrant,
    contested_kind::fenced_reentrant,
    contested_kind::read_write,
    contested_kind::fair,
    contested_kind::fenced_fair};

struct contest_options {
    std::uint64_t seed = 1;
    unsigned processes = 2;
    unsigned contenders = 4;  // of each process
    unsigned rounds = 5;      // of each contender
    unsigned locks = 2;
    std::optional<contested_kind> kind = {};  // none: drawn for each lock, of those with one holder at a time
    core::duration longest_hold = std::chrono::milliseconds(50);
    std::chrono::milliseconds at_least{};  // of every acquire, at most a few seconds; zero: none
    double cancel = 0;                     // chance that an acquire is cancelled, at a random moment
    double kill = 0;                       // chance, for each process but the first, to be killed during the contest
    double pause = 0;                      // chance, for each process, to be stopped for a time
    bool data_is_safe = true;  // false: the faults may break exclusion; only liveness and leftovers are checked
    bool is_in_order = false;  // fair locks must be granted in order of arrival: no waiter counts as dead
    std::chrono::milliseconds waiter_timeout{60'000};  // of fair locks
    bool is_cluster =
        false;               // the server is the only node of a cluster: no command may have keys of several hash slots
    unsigned primaries = 0;  // of a cluster in which the client finds its servers; 0: one server
    unsigned moves = 0;      // how often the hash slot of each lock moves to the next primary; fewer than `primaries`:
                             // a slot does not return
    unsigned half_moves = 0;  // how often it moves key by key, and is half-moved meanwhile
    core::duration longest_half_move = std::chrono::seconds(2);
    // Of the one server, or of each primary of a cluster that fails over, which has one.
    unsigned replicas = 0;
    // Of the one server: how often a replica becomes the primary, or the replicas are cut off for a while. Of a
    // cluster: how many primaries stop, and are replaced by their replicas.
    unsigned fail_overs = 0;
    // Of the one server: so many sentinels name it, and lead the failovers of a primary that is well. 0: an address leads
    // to it.
    unsigned sentinels = 0;
    unsigned hung_sentinels = 0;  // how often one of them hangs for a while
    // Each process but the first starts at a random moment until then: it has never known another primary.
    core::duration latest_start{};
    // How long a former primary goes on serving its clients.
    span_of_time unaware = {std::chrono::milliseconds(0), std::chrono::seconds(3)};
    span_of_time replica_lag = {std::chrono::microseconds(200), std::chrono::milliseconds(50)};
    core::duration long_hold = std::chrono::seconds(4);  // of one hold in fifty
    bool is_prompt = false;  // a released lock must be granted to a waiter within a few round trips
    fault_plan faults = {};
    network_options network = {};
    // In every other contest the lease time is longer than the contest, so that a key that is left behind still exists.
    holdfast::config config = {
        .lease = std::chrono::milliseconds(2'000),
        .command_timeout = std::chrono::milliseconds(500),
        .poll_interval = std::chrono::milliseconds(1'000)};
    bool trace = false;
};

struct contest_result {
    std::optional<std::string> fault;  // what is wrong, and how to replay it
    unsigned grants = 0;
    unsigned busy = 0;
    unsigned cancelled = 0;
    unsigned lost = 0;
    std::uint64_t handed_off = 0;
    std::uint64_t digest = 0;
    std::map<std::string, unsigned> grants_of = {};  // by process
    std::string trace = {};
};

// Coroutines of several processes contend for a few locks, acquire them with every function and option, and hold them
// for a random time, on a server with the given faults. Then the faults end, and every contender must complete. No two
// holds may overlap within their validity, and no key, subscription, waiter or timer may be left. Meanwhile every
// command that the server executes is checked against the rules of what a client must never send.
contest_result run_contest(contest_options const&);

// The number of seeds of a test: HOLDFAST_SEEDS, or `fallback`.
std::uint64_t seeds_or(std::uint64_t fallback);
// The seeds of a test that has loops of its own: 1 to that number, or HOLDFAST_SEED alone.
std::uint64_t first_seed();
std::uint64_t last_seed(std::uint64_t fallback);

// Runs contests with seeds 1 ... n (or HOLDFAST_SEED alone) and fails at the first fault.
void run_contests(contest_options options, std::uint64_t seeds);

}  // namespace holdfast::test

#endif
