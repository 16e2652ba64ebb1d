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

// What the contenders of a process do in one turn. Only what happens between `begin` and `end` counts.
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

// A process that takes locks with one library, in whatever language: bench/peers/README.md has the protocol.
class peer {
public:
    explicit peer(std::vector<std::string> const& words);

    // Of the library.
    std::string const& version() const { return version_; }
    std::string const& lacks() const { return lacks_; }

    std::chrono::duration<double> cpu_time() const { return process_.cpu_time(); }

    void begin_pairs(pairs_order const&);
    pairs_account end_pairs();

    // Contenders have numbers. An acquire is begun, and ended when the lock is had.
    void begin_acquire(std::string const& name, int contender);
    struct acquired {
        int contender;
        clock::time_point requested, at;
    };
    acquired end_acquire();

    // Releases likewise; the end says when that was begun.
    void begin_release(std::string const& name, int contender);
    clock::time_point end_release();

private:
    // The next answer that has such a member. Others, which came before it, are kept.
    std::string answer(std::string const& member);

    child process_;
    std::vector<std::string> lines_;
    std::string version_;
    std::string lacks_;
};

}  // namespace holdfast::bench

#endif
