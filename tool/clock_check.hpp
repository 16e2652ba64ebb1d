//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CLOCK_CHECK_HPP
#define HOLDFAST_CLI_CLOCK_CHECK_HPP

#include <chrono>
#include <optional>

#include "operations/command_query.hpp"
#include "tool/diagnosis.hpp"

namespace holdfast::cli {

// One reading of the server's clock. The server read it at some time between `sent` and `received`.
struct clock_reading {
    std::chrono::steady_clock::time_point sent;
    std::chrono::steady_clock::time_point received;
    std::chrono::microseconds server;
};

// From the reply to TIME: seconds, and microseconds of the second. None: it is no such reply.
std::optional<clock_reading> read_clock(
    detail::command_reply const&,
    std::chrono::steady_clock::time_point sent,
    std::chrono::steady_clock::time_point received);

// Whether the server's clock went as far as the steady clock between two readings. What may differ is the time under
// way, and the drift that a lease of that length allows (rule 1 of docs/rules.md): a hundredth, and 2 ms.
finding judge_clock(clock_reading const& first, clock_reading const& second);

}  // namespace holdfast::cli

#endif
