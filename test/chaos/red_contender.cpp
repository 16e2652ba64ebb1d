//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that contend for red_locks while minorities of their servers fail.
//
//     red_contender LEASE_MS TASKS URL...    until SIGTERM
//
// Writes a line for each hold, in one piece: "hold LOCK FROM TO FENCE", in nanoseconds of CLOCK_MONOTONIC. Half of the
// tasks acquire the lock "plain", the others "fenced". Writes "ready" when it is connected to all servers, "unavailable
// TIME" for each acquire without a majority, and at the end "end".

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "chaos/reporting.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

struct contender {
    std::vector<client*> clients;
    chance luck{static_cast<std::uint64_t>(::getpid())};
    bool enough = false;

    awaitable<void> work(int number)
    {
        bool const fenced = number % 2 != 0;
        std::string const name = fenced ? "fenced" : "plain";
        red_lock const lock({clients.begin(), clients.end()}, name, {.fencing = fenced, .node_timeout = 100ms});
        while (!enough)
            co_await once(lock);
    }

    awaitable<void> once(red_lock const& lock)
    {
        error_code ec;
        auto held = co_await lock.try_acquire({.wait = 2s}, redirect(ec));
        auto const from = clock::now();
        report_if_unavailable(ec);
        if (held.empty())
            co_return co_await sleep_for(1ms);
        co_await sleep_for(std::chrono::milliseconds(luck.below(6)));
        // The end of the hold, read before the release: the end of the validity or now.
        auto const end = held.valid_until();
        auto const to = std::min(end, clock::now());
        report(
            "hold " + std::string(lock.name()) + ' ' + std::to_string(nanoseconds(from)) + ' '
            + std::to_string(nanoseconds(to)) + ' ' + std::to_string(held.fencing_token().value_or(0)));
        co_await held.release(redirect(ec));
    }
};

}  // namespace

int main(int count, char** words)
{
    if (count < 5)
        return 64;
    live l;
    contender all;
    for (int i = 3; i < count; ++i) {
        auto options = live::quick(words[i]);
        options.lease = std::chrono::milliseconds(std::atoi(words[1]));
        options.command_timeout = 1s;
        all.clients.push_back(&l.client(options));
    }
    report_when_ready(l, all.clients);
    work_until_told(l, all, std::atoi(words[2]));
    report("end");
    return 0;
}
