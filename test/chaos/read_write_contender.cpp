//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that read and write while connections, processes and the server fail.
//
//     read_write_contender URL READERS WRITERS LEASE_MS    until SIGTERM
//
// Writes a line for each hold, in one piece: "hold LOCK FROM TO FENCE", followed by "shared" for a read, in nanoseconds
// of CLOCK_MONOTONIC; "waited MS" after each write acquire without a time limit. Writes "ready" when it is connected,
// "unavailable TIME" for each acquire that ended as unavailable, and at the end "end".

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>

#include "chaos/reporting.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using clock = std::chrono::steady_clock;

void report_hold(clock::time_point from, clock::time_point to, std::string_view rest)
{
    report(
        "hold document " + std::to_string(from.time_since_epoch().count()) + ' '
        + std::to_string(to.time_since_epoch().count()) + ' ' + std::string(rest));
}

class contender {
public:
    explicit contender(client& c) : lock_(c, "document", {.fencing = true}), chance_(std::uint64_t(::getpid())) {}

    awaitable<void> read()
    {
        while (!enough) {
            error_code ec;
            auto held = co_await lock_.read().try_acquire({.wait = 2s}, redirect(ec));
            report_if_unavailable(ec);
            if (!held.empty())
                co_await hold_read(std::move(held));
            co_await sleep_for(std::chrono::milliseconds(1 + chance_.below(10)));
        }
    }

    awaitable<void> write()
    {
        while (!enough) {
            auto held = co_await acquire_write(chance_.happens(0.5));
            if (!held.empty())
                co_await hold_write(std::move(held), clock::now());
            co_await sleep_for(std::chrono::milliseconds(20 + chance_.below(50)));
        }
    }

    bool enough = false;

private:
    // Without a time limit an acquire hardly ever ends as unavailable, however long the server is silent.
    awaitable<lease> acquire_write(bool is_limited)
    {
        error_code ec;
        lease held;
        auto const start = clock::now();
        if (is_limited)
            held = co_await lock_.write().try_acquire({.wait = 2s}, redirect(ec));
        else
            held = co_await lock_.write().acquire(redirect(ec));
        if (!is_limited)
            report("waited " + std::to_string((clock::now() - start) / 1ms));
        report_if_unavailable(ec);
        co_return held;
    }

    awaitable<void> hold_read(lease held)
    {
        auto const from = clock::now();
        co_await sleep_for(std::chrono::milliseconds(chance_.below(40)));
        // The end of the hold, read before the release: the end of the validity or now.
        auto const end = held.valid_until();
        report_hold(from, std::min(end, clock::now()), "0 shared");
        error_code ec;
        co_await held.release(redirect(ec));
    }

    // Sometimes downgrades the write to a read; no other client writes in between.
    awaitable<void> hold_write(lease held, clock::time_point from)
    {
        auto const fence = std::to_string(held.fencing_token().value_or(0));
        co_await sleep_for(std::chrono::milliseconds(chance_.below(10)));
        auto const end = held.valid_until();
        auto const to = std::min(end, clock::now());
        report_hold(from, to, fence);
        error_code ec;
        if (!chance_.happens(0.3))
            co_return co_await held.release(redirect(ec));
        auto read = co_await held.downgrade(redirect(ec));
        if (read.empty())
            co_return;
        report_hold(to, std::min(end, clock::now()), "0 shared");
        co_await hold_read(std::move(read));
    }

    read_write_lock lock_;
    chance chance_;
};

}  // namespace

int main(int count, char** words)
{
    if (count != 5)
        return 64;
    live l;
    auto options = live::quick(words[1]);
    options.lease = std::chrono::milliseconds(std::atoi(words[4]));
    options.command_timeout = 1s;
    auto& c = l.client(options);
    report_when_ready(l, {&c});
    contender all(c);
    asio::signal_set signals(l.context(), SIGTERM);
    signals.async_wait([&](error_code, int) { all.enough = true; });

    auto const readers = std::atoi(words[2]);
    auto const writers = std::atoi(words[3]);
    int running = readers + writers;
    for (int i = 0; i < readers; ++i)
        asio::co_spawn(l.context(), all.read(), [&](std::exception_ptr) { --running; });
    for (int i = 0; i < writers; ++i)
        asio::co_spawn(l.context(), all.write(), [&](std::exception_ptr) { --running; });
    l.until([&] { return running == 0; }, 24h);
    report("end");
    return 0;
}
