//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CHAOS_BATTLEFIELD_HPP
#define HOLDFAST_TEST_CHAOS_BATTLEFIELD_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/chance.hpp"
#include "support/child.hpp"
#include "support/interval_checker.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// A real server and processes that contend on it, with all faults that the library has to tolerate. A process that is
// killed is replaced by another with the same arguments.
class battlefield {
public:
    using clock = std::chrono::steady_clock;
    // The program and its arguments, for the process of that number.
    using words_of = std::function<std::vector<std::string>(redis_server&, std::size_t number)>;

    struct damage {
        int disconnected = 0, flushed = 0, server_stops = 0, process_stops = 0, process_kills = 0;
    };

    // Processes are stopped for half of that lease time to two of them.
    battlefield(std::size_t processes, words_of, std::chrono::milliseconds lease, std::uint64_t seed);

    redis_server& server() noexcept { return server_; }

    // A stretch of time, in nanoseconds of CLOCK_MONOTONIC.
    struct period {
        std::int64_t from, to;
    };
    // Waits until all processes are "ready", and then for that time. No fault happens meanwhile.
    period calm(std::chrono::seconds);

    void rage(std::chrono::seconds);
    // Ends half of the processes by SIGTERM, and kills the others while they hold.
    void end();

    // The holds that all processes reported as "hold LOCK FROM TO FENCE [shared]".
    std::vector<held_interval> holds() const;
    // The lines of all processes that begin with that word, without it; and those of the present processes only.
    std::vector<std::string> reported(std::string const& word) const;
    std::vector<std::string> reported_at_end(std::string const& word) const;
    // How often processes reported in that time that an acquire ended as "unavailable NANOSECONDS".
    std::size_t unavailable_in(period) const;
    damage const& done() const noexcept { return done_; }

private:
    struct fighter {
        std::size_t number;
        std::unique_ptr<child> process;
    };
    struct pause {
        child* process;
        clock::time_point until;
    };

    void start(std::size_t number);
    void strike();
    void disconnect(std::vector<std::string> filter);
    void disconnect_one();
    void stop_server();
    void stop_process();
    void kill_process();
    void wake_paused(clock::time_point now);

    words_of const words_of_;
    std::chrono::milliseconds const lease_;
    redis_server server_;
    chance chance_;
    std::vector<fighter> alive_;
    std::vector<std::unique_ptr<child>> dead_;
    std::vector<pause> paused_;
    damage done_;
};

// "5 disconnections, ..."
std::string to_string(battlefield::damage const&);

// The lease time and the waiter timeout of the processes.
inline constexpr std::chrono::milliseconds chaos_lease(1500);
inline constexpr std::chrono::milliseconds chaos_waiter_timeout(3000);

// HOLDFAST_CHAOS_SECONDS and HOLDFAST_CHAOS_SEED.
std::chrono::seconds chaos_time();
std::uint64_t chaos_seed();

}  // namespace holdfast::test

#endif
