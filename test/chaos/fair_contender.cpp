//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that queue up for fair locks while connections, processes and the server fail.
//
//     fair_contender URL TASKS LEASE_MS WAITER_TIMEOUT_MS    until SIGTERM
//
// Half of the tasks acquire a fair lock, half a fenced one; half of each with unbounded waits, after which they write
// "waited MS". Writes a line for each hold, in one piece: "hold LOCK FROM TO FENCE". Writes "ready" when it is
// connected, "unavailable TIME" for each acquire that ended as unavailable, and "end" at the end.

#include <algorithm>
#include <cstdlib>

#include "chaos/reporting.hpp"
#include "support/chance.hpp"
#include "support/live.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using asio::awaitable;
using clock = std::chrono::steady_clock;

class contender {
public:
    contender(client& c, std::chrono::milliseconds waiter_timeout)
        : plain_(c, "fair", {.waiter_timeout = waiter_timeout}),
          fenced_(c, "fenced_fair", {.fencing = true, .waiter_timeout = waiter_timeout}),
          chance_(std::uint64_t(::getpid()))
    {}

    awaitable<void> work(int number)
    {
        auto const& lock = number % 2 != 0 ? fenced_ : plain_;
        while (!enough)
            co_await once(lock, number % 4 >= 2);
    }

    bool enough = false;

private:
    // Without a time limit an acquire hardly ever ends as unavailable, however long the server is silent.
    awaitable<void> once(fair_lock const& lock, bool is_limited)
    {
        error_code ec;
        lease held;
        auto const start = clock::now();
        auto const priority = chance_.happens(0.1) ? 9 : 5;
        if (is_limited)
            held = co_await lock.try_acquire({.wait = 2s, .priority = priority}, redirect(ec));
        else
            held = co_await lock.acquire({.priority = priority}, redirect(ec));
        auto const from = clock::now();
        if (!is_limited)
            report("waited " + std::to_string((from - start) / 1ms));
        report_if_unavailable(ec);
        if (held.empty())
            co_return co_await sleep_for(1ms);
        auto const fence = held.fencing_token().value_or(0);
        co_await sleep_for(std::chrono::milliseconds(chance_.below(4)));
        // The end of the hold, read before the release: the end of the validity or now.
        auto const end = held.valid_until();
        auto const to = std::min(end, clock::now());
        report(
            "hold " + std::string(lock.name()) + ' ' + std::to_string(nanoseconds(from)) + ' '
            + std::to_string(nanoseconds(to)) + ' ' + std::to_string(fence));
        co_await held.release(redirect(ec));
    }

    fair_lock plain_;
    fair_lock fenced_;
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
    contender all(c, std::chrono::milliseconds(std::atoi(words[4])));
    work_until_told(l, all, std::atoi(words[2]));
    report("end");
    return 0;
}
