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

// A library and the way in which it is used.
struct entrant {
    std::string name;
    std::string folder;  // of bench/peers
    std::string mode;
    bool polls = false;             // a waiter receives no message, but polls
    bool takes_locks = true;        // else it is a yardstick
    std::string more_servers = {};  // ",HOST:PORT" of each, beside the tournament's
};

// What all contestants do in their turns.
struct contest {
    std::size_t contenders = 1;  // in each process
    std::size_t names = 1;
    std::chrono::milliseconds hold{0};
    std::chrono::milliseconds turn{500};
    int repetitions = 5;
    std::chrono::milliseconds warm_up{500};
};

// One turn, all processes together.
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
    std::string not_run;  // why; empty: it was
    std::vector<score> scores;

    spread over(std::function<double(score const&)> const& quantity) const;
    // Microseconds, of the waits of all repetitions.
    double wait(double share) const;
};

// The words that start the entrant's program. Throws std::runtime_error with the reason why there is none.
std::vector<std::string> program_of(entrant const&, redis_server const&);

// Lets contestants take turns on one server, in every repetition each of them. Their processes live from the first
// contest to the last. One that cannot be started or fails is out, and its standing says why; the others go on.
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
