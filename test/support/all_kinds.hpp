//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_ALL_KINDS_HPP
#define HOLDFAST_TEST_SUPPORT_ALL_KINDS_HPP

#include <string>
#include <vector>

#include <holdfast.hpp>

namespace holdfast::test {

// For each name a lock of every kind, fenced and not. None excludes another one.
inline std::vector<any_lock> locks_of_all_kinds(client& c, std::vector<std::string> const& names)
{
    std::vector<any_lock> all;
    for (auto const& n : names) {
        all.emplace_back(mutex(c, n + "-m"));
        all.emplace_back(mutex(c, n + "-f", {.fencing = true}));
        all.emplace_back(reentrant_lock(c, n + "-r", c.make_owner()));
        all.emplace_back(reentrant_lock(c, n + "-rf", c.make_owner(), {.fencing = true}));
        all.emplace_back(fair_lock(c, n + "-q", {.fencing = true}));
        all.emplace_back(read_write_lock(c, n + "-rd").read());
        all.emplace_back(read_write_lock(c, n + "-w", {.fencing = true}).write());
        all.emplace_back(semaphore(c, n + "-s", {.permits = 1}));
        all.emplace_back(multi_lock(mutex(c, n + "-1"), mutex(c, n + "-2"), mutex(c, n + "-3")));
    }
    return all;
}

}  // namespace holdfast::test

#endif
