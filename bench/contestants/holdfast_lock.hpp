//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_CONTESTANTS_HOLDFAST_LOCK_HPP
#define HOLDFAST_BENCH_CONTESTANTS_HOLDFAST_LOCK_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <holdfast/config.hpp>
#include <holdfast/options.hpp>

#include "support/contestant.hpp"
#include "support/redis_server.hpp"

namespace holdfast::bench {

struct holdfast_options {
    std::string name;       // in the table
    std::size_t names = 0;  // the number of locks that the contenders share; 0: each has its own
    handoff local_handoff = {};
    std::optional<transport> by = {};  // none: the transport of the server
    unsigned acknowledged_by = 0;      // replicas
    std::string url = {};              // empty: that of the server
};

// Has a holdfast::client of its own. Its contenders run on the io_context of that client.
std::unique_ptr<contestant> make_mutex(redis_server&, holdfast_options const&);

// As above; each contender is an owner.
std::unique_ptr<contestant> make_reentrant_lock(redis_server&, holdfast_options const&);
std::unique_ptr<contestant> make_fair_lock(redis_server&, holdfast_options const&);
std::unique_ptr<contestant> make_semaphore(redis_server&, holdfast_options const&, semaphore_options const&);

}  // namespace holdfast::bench

#endif
