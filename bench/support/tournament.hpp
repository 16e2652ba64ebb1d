//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_TOURNAMENT_HPP
#define HOLDFAST_BENCH_SUPPORT_TOURNAMENT_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/peer.hpp"
#include "support/redis_server.hpp"
#include "support/statistics.hpp"

namespace holdfast::bench {

// A library, and the mode in which it is used.
struct entrant {
    std::string name;
    std::string folder;  // of bench/peers
    std::string mode;
    bool polls = false;             // a waiter receives no message, but polls
    bool takes_locks = true;        // false: it is a baseline
    std::string more_servers = {};  // ",HOST:PORT" of each, in addition to the tournament's
};

// The work of each contestant in its turn.
struct contest {
    std::size_t contenders = 1;  // in each process
    std::size_t names = 1;
    std::chrono::milliseconds hold{0};
    std::chrono::milliseconds turn{500};
    int repetitions = 5;
    std::chrono::milliseconds warm_up{500};
};

// The results of one turn, for all processes together.
struct score {
    double seconds = 0;
    double pairs = 0;
    double client_cpu = 0;
    double server_cpu = 0;
    double commands = 0;
    double bytes = 0;
    std::vector<double> waits;  // microseconds

    double rate() const { return pairs / seconds; }
};

struct standing {
    entrant entry;
    std::string version;
    std::string lacks;
    std::string not_run;  // the reason why it was not run; empty: it was run
    std::vector<score> scores;

    spread over(std::function<double(score const&)> const& quantity) const;
    // The quantile of the waits of all repetitions, in microseconds.
    double wait(double share) const;
};

// The command line of the entrant's program. Throws std::runtime_error with the reason if there is no program.
std::vector<std::string> program_of(entrant const&, redis_server const&);

// Runs contestants on one server: in each repetition each of them has a turn. Their processes run from the first
// contest to the last. A contestant that cannot be started, or fails, is excluded; its standing has the reason.
class tournament {
public:
    tournament(redis_server&, std::vector<entrant> const&, std::size_t processes);
    ~tournament();

    std::vector<standing> hold(contest const&);

private:
    class contestant;

    redis_server& server_;
    std::vector<std::unique_ptr<contestant>> contestants_;
};

}  // namespace holdfast::bench

#endif
