//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_RACE_HPP
#define HOLDFAST_BENCH_SUPPORT_RACE_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"
#include "support/statistics.hpp"

namespace holdfast::bench {

// The lengths of a measurement. The contestants take turns within each repetition, so that a disturbance of the machine
// that lasts longer than a turn affects all of them.
struct plan {
    int repetitions = 5;
    int turns = 2;
    std::chrono::milliseconds turn{400};
    std::chrono::milliseconds warm_up{300};
};

// The results of a contestant in one repetition.
struct repetition {
    std::vector<clock::duration> waits = {};  // of each pair, for its lock
    std::chrono::duration<double> wall{};
    std::chrono::duration<double> client_cpu{};
    std::chrono::duration<double> server_cpu{};

    double pairs() const { return static_cast<double>(waits.size()); }
    double rate() const { return pairs() / wall.count(); }
};

struct result {
    std::string contestant;
    std::vector<repetition> repetitions;

    spread over(std::function<double(repetition const&)> const& quantity) const;
    // The quantile of the waits of all repetitions.
    clock::duration wait(double share) const;
};

// Runs contestants against their servers, in turns, on one thread.
class race {
public:
    race(redis_server&, plan const&);
    // The server's time of a contestant is that of all these servers: the others do nothing in its turns.
    race(servers, plan const&);

    void enter(std::unique_ptr<contestant>);
    // Returns the results in the order of enter().
    std::vector<result> run(std::size_t contenders);

private:
    std::chrono::duration<double> server_time() const;
    void take_turn(contestant&, std::size_t contenders, std::chrono::milliseconds, repetition&);

    servers servers_;
    plan plan_;
    std::vector<std::unique_ptr<contestant>> contestants_;
};

}  // namespace holdfast::bench

#endif
