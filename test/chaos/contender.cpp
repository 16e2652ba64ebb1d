//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that contend while connections, processes and the server fail.
//
//     contender URL TASKS LEASE_MS COUNTERS    until SIGTERM
//
// Writes a line for each hold, in one piece: "hold LOCK FROM TO FENCE", in nanoseconds of CLOCK_MONOTONIC. COUNTERS is
// a file shared by all processes; see counters.hpp. Writes "ready" when it is connected, "unavailable TIME" for each
// acquire that ended as unavailable, and at the end "stats ACQUIRED HANDED_OFF LOST", then "end".

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unistd.h>

#include "chaos/counters.hpp"
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

class contender {
public:
    contender(client& c, shared_counters& counters)
        : client_(c), counters_(counters), chance_(static_cast<std::uint64_t>(::getpid()))
    {}

    awaitable<void> work(int number)
    {
        auto const which = static_cast<std::size_t>(number) % lock_count;
        while (!enough)
            co_await once(make_lock(which), which);
    }

    bool enough = false;

private:
    any_lock make_lock(std::size_t which) const
    {
        switch (which) {
            case 0: return mutex(client_, lock_names[0]);
            case 1: return mutex(client_, lock_names[1], {.fencing = true});
            default: return reentrant_lock(client_, lock_names[2], client_.make_owner());
        }
    }

    awaitable<void> once(any_lock lock, std::size_t which)
    {
        error_code ec;
        auto held = co_await lock.try_acquire({.wait = 2s}, redirect(ec));
        auto const from = clock::now();
        report_if_unavailable(ec);
        if (held.empty())
            co_return co_await sleep_for(1ms);
        auto const fence = held.fencing_token().value_or(0);
        // Read, pause, write: two holders at a time would lose an update.
        auto& counter = counters_[which];
        auto const value = counter.read(fence);
        co_await sleep_for(std::chrono::milliseconds(chance_.below(4)));
        counter.write(value, fence, [&] { return held.valid(); });

        // The end of the hold, read before the release: the end of the validity or now.
        auto const end = held.valid_until();
        auto const to = std::min(end, clock::now());
        report(
            "hold " + std::string(lock_names[which]) + ' ' + std::to_string(nanoseconds(from)) + ' '
            + std::to_string(nanoseconds(to)) + ' ' + std::to_string(fence));
        co_await held.release(redirect(ec));
    }

    client& client_;
    shared_counters& counters_;
    chance chance_;
};

}  // namespace

int main(int count, char** words)
{
    if (count != 5)
        return 64;
    live l;
    auto options = live::quick(words[1]);
    options.lease = std::chrono::milliseconds(std::atoi(words[3]));
    options.command_timeout = 1s;
    auto& c = l.client(options);
    report_when_ready(l, {&c});
    shared_counters counters(words[4]);
    contender all(c, counters);
    work_until_told(l, all, std::atoi(words[2]));
    auto const s = c.stats();
    report("stats " + std::to_string(s.acquired) + ' ' + std::to_string(s.handed_off) + ' ' + std::to_string(s.lost));
    report("end");
    return 0;
}
