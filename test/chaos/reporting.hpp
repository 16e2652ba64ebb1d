//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CHAOS_REPORTING_HPP
#define HOLDFAST_TEST_CHAOS_REPORTING_HPP

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include "support/interval_checker.hpp"
#include "support/live.hpp"

namespace holdfast::test {

// How the contending processes report to the battlefield: a line each, with times in nanoseconds of CLOCK_MONOTONIC.

// Standard output is a file, to which each line is appended by a single write: a pipe would lose the last lines of a
// killed process.
inline void report(std::string line)
{
    line += '\n';
    if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::_Exit(1);
}

inline void report_if_unavailable(error_code ec)
{
    if (ec == errc::unavailable || ec == errc::no_quorum)
        report("unavailable " + std::to_string(nanoseconds(std::chrono::steady_clock::now())));
}

// "ready", when all clients have a connection.
inline void report_when_ready(live& l, std::vector<client*> clients)
{
    l.spawn([clients = std::move(clients)]() -> asio::awaitable<void> {
        for (auto* const c : clients)
            co_await c->ready();
        report("ready");
    });
}

// Runs so many coroutines `all.work(i)` until SIGTERM, which sets `all.enough`.
template <class Contender>
void work_until_told(live& l, Contender& all, int tasks)
{
    asio::signal_set signals(l.context(), SIGTERM);
    signals.async_wait([&](error_code, int) { all.enough = true; });
    int running = tasks;
    for (int i = 0; i < tasks; ++i)
        asio::co_spawn(l.context(), all.work(i), [&](std::exception_ptr) { --running; });
    l.until([&] { return running == 0; }, std::chrono::hours(24));
}

}  // namespace holdfast::test

#endif
