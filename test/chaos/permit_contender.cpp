//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// One of the processes that acquire permits of three semaphores: one without an order, a fair one and a numbered one.
//
//     permit_contender URL TASKS LEASE_MS WAITER_TIMEOUT_MS PERMITS    until SIGTERM
//
// Writes "ready" when it is connected; for each hold "permits SEMAPHORE FROM TO WEIGHT", in nanoseconds of
// CLOCK_MONOTONIC; for each number also "hold NUMBER FROM TO FENCE"; "unavailable TIME" for each acquire that ended as
// unavailable; and at the end "end".

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

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
    contender(client& c, unsigned permits, std::chrono::milliseconds waiter_timeout)
        : plain_(c, "plain", {.permits = permits}),
          fair_(c, "fair", {.permits = permits, .fair = true, .waiter_timeout = waiter_timeout}),
          numbered_(c, "numbered", {.permits = permits, .numbered = true}),
          permits_(permits),
          chance_(std::uint64_t(::getpid()))
    {}

    awaitable<void> work(int number)
    {
        semaphore const& s = number % 3 == 0 ? plain_ : number % 3 == 1 ? fair_ : numbered_;
        while (!enough)
            co_await once(s, number % 2 != 0);
    }

    bool enough = false;

private:
    unsigned any_weight(semaphore const& s)
    {
        if (&s == &numbered_)
            return 1;
        return static_cast<unsigned>(1 + chance_.below(chance_.happens(0.2) ? permits_ : 2));
    }

    awaitable<void> once(semaphore const& s, bool is_limited)
    {
        error_code ec;
        lease held;
        auto const weight = any_weight(s);
        if (is_limited)
            held = co_await s.try_acquire({.wait = 2s, .weight = weight}, redirect(ec));
        else
            held = co_await s.acquire({.weight = weight}, redirect(ec));
        auto const from = clock::now();
        report_if_unavailable(ec);
        if (held.empty())
            co_return co_await sleep_for(1ms);
        auto const number = held.number().value_or(0);
        auto const fence = held.fencing_token().value_or(0);
        co_await sleep_for(std::chrono::milliseconds(chance_.below(4)));
        // The end of the hold, read before the release: the end of the validity or now.
        auto const end = held.valid_until();
        auto const to = std::min(end, clock::now());
        auto const when = std::to_string(nanoseconds(from)) + ' ' + std::to_string(nanoseconds(to)) + ' ';
        report("permits " + std::string(s.name()) + ' ' + when + std::to_string(weight));
        if (number != 0)
            report("hold " + std::to_string(number) + ' ' + when + std::to_string(fence));
        co_await held.release(redirect(ec));
    }

    semaphore plain_, fair_, numbered_;
    unsigned permits_;
    chance chance_;
};

}  // namespace

int main(int count, char** words)
{
    if (count != 6)
        return 64;
    live l;
    auto options = live::quick(words[1]);
    options.lease = std::chrono::milliseconds(std::atoi(words[3]));
    options.command_timeout = 1s;
    auto& c = l.client(options);
    report_when_ready(l, {&c});
    contender all(c, static_cast<unsigned>(std::atoi(words[5])), std::chrono::milliseconds(std::atoi(words[4])));
    work_until_told(l, all, std::atoi(words[2]));
    report("end");
    return 0;
}
