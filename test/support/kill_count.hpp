//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_KILL_COUNT_HPP
#define HOLDFAST_TEST_SUPPORT_KILL_COUNT_HPP

#include <algorithm>
#include <cstddef>

#include "support/redis_server.hpp"

namespace holdfast::test {

// Makes a server log every command. INFO commandstats does not count subcommands before Redis 7.0.
inline constexpr auto logs_commands = "slowlog-log-slower-than 0";

// How often CLIENT KILL was called, of the last 128 commands of a server that `logs_commands`.
inline std::ptrdiff_t kill_count(redis_server& server)
{
    auto const log = server.command({"SLOWLOG", "GET", "128"}).items;
    return std::ranges::count_if(log, [](simulated::value const& entry) {
        auto const& words = entry.items.at(3).items;  // after the number, the time and the duration
        return words.size() > 1 && words[0].text == "CLIENT" && words[1].text == "KILL";
    });
}

}  // namespace holdfast::test

#endif
