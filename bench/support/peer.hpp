//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_PEER_HPP
#define HOLDFAST_BENCH_SUPPORT_PEER_HPP

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/heat.hpp"

namespace holdfast::bench {

// The work of the contenders of a process in one turn. Only events between `begin` and `end` count.
struct pairs_order {
    std::size_t contenders = 1;
    std::size_t names = 1;
    std::chrono::milliseconds hold{0};
    clock::time_point begin, end;
};

struct pairs_account {
    double pairs = 0;
    std::vector<double> waits;  // microseconds
};

// A process that acquires locks with one library, in any language. bench/peers/README.md describes the protocol.
class peer {
public:
    explicit peer(std::vector<std::string> const& words);

    // The version of the library, and the features that it lacks.
    std::string const& version() const { return version_; }
    std::string const& lacks() const { return lacks_; }

    std::chrono::duration<double> cpu_time() const { return process_.cpu_time(); }

    void begin_pairs(pairs_order const&);
    pairs_account end_pairs();

    // Contenders have numbers. begin_acquire() sends the request, and end_acquire() waits until the lock is granted.
    void begin_acquire(std::string const& name, int contender);
    struct acquired {
        int contender;
        clock::time_point requested, at;
    };
    acquired end_acquire();

    // The same for a release; end_release() returns when the release began.
    void begin_release(std::string const& name, int contender);
    clock::time_point end_release();

private:
    // Returns the next reply that has that member. Other replies that arrive before it are kept.
    std::string answer(std::string const& member);

    child process_;
    std::vector<std::string> lines_;
    std::string version_;
    std::string lacks_;
};

}  // namespace holdfast::bench

#endif
