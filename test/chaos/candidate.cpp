//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that stand for election, and observe who leads.
//
//     candidate URL TASKS LEASE_MS CANDIDATE_TIMEOUT_MS    until SIGTERM
//
// Writes "ready" when it is connected; for each leadership "leads TERM TIME" and "hold boss FROM TO TERM", in
// nanoseconds of CLOCK_MONOTONIC; for each leader that it observes "seen TERM TIME"; "back TERM" if an older term
// follows a newer one; "unavailable TIME" for each campaign that ended as unavailable; and at the end "end".

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <boost/asio/cancel_after.hpp>

#include "chaos/reporting.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

class candidate {
public:
    candidate(client& c, std::chrono::milliseconds timeout)
        : boss_(c, "boss", {.candidate_timeout = timeout}), chance_(std::uint64_t(::getpid()))
    {}

    // The first task observes, the others stand for election.
    awaitable<void> work(int number)
    {
        if (number == 0)
            co_return co_await observe();
        while (!enough)
            co_await once();
    }

    bool enough = false;

private:
    awaitable<void> observe()
    {
        std::uint64_t newest = 0;
        auto watch = boss_.observe();
        while (!enough) {
            error_code ec;
            auto const now = co_await watch.next(asio::cancel_after(500ms, redirect(ec)));
            if (ec || !now)
                continue;
            auto const term = std::to_string(now->term);
            if (now->term < newest)
                report("back " + term);
            if (std::exchange(newest, now->term) != now->term)
                report("seen " + term + ' ' + std::to_string(nanoseconds(clock::now())));
        }
    }

    awaitable<void> once()
    {
        error_code ec;
        auto me = co_await boss_.campaign("here", {.wait = 2s}, redirect(ec));
        auto const from = clock::now();
        report_if_unavailable(ec);
        if (!me)
            co_return co_await sleep_for(1ms);
        auto const term = std::to_string(me.term());
        report("leads " + term + ' ' + std::to_string(nanoseconds(from)));
        co_await sleep_for(std::chrono::milliseconds(chance_.below(30)));
        // The end of the leadership, read before the resignation: the end of the validity or now.
        auto const to = std::min(me.valid_until(), clock::now());
        report("hold boss " + std::to_string(nanoseconds(from)) + ' ' + std::to_string(nanoseconds(to)) + ' ' + term);
        co_await me.resign(redirect(ec));
    }

    election boss_;
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
    candidate all(c, std::chrono::milliseconds(std::atoi(words[4])));
    work_until_told(l, all, std::atoi(words[2]));
    report("end");
    return 0;
}
