//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Coroutines of several processes contend for the permits of a semaphore, with random weights and cancellations. The
// weights of the valid leases never add up to more than the number of permits. No two of them have the same number, and
// the tokens of a number grow. After all have ended, all permits are granted at once. HOLDFAST_SEEDS is the number of
// contests.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/contest.hpp"
#include "simulation/contested_slot.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

constexpr unsigned total = 4;

struct permit_contest {
    arena world;
    std::optional<contested_slot> slots;  // of a cluster
    chance draw;
    std::vector<lease*> held;  // with the weights below
    std::vector<unsigned> weights;
    unsigned running = 0;
    unsigned grants = 0;
    unsigned cancelled = 0;

    bool is_numbered = false;
    std::map<unsigned, std::uint64_t> tokens;  // the last one of each number

    permit_contest(std::uint64_t seed, fault_plan f, slot_change what)
        : world({.world = {.seed = seed}, .faults = f}), draw(seed)
    {
        if (what != slot_change::none)
            slots.emplace(world, "s", what);
    }

    simulated_server& server() { return slots ? slots->server() : world.server(); }
    bool exists(std::string_view key) { return server().execute({"EXISTS", key}).integer != 0; }

    void enter(lease& l, unsigned weight)
    {
        held.push_back(&l);
        weights.push_back(weight);
        unsigned sum = 0;
        for (std::size_t i = 0; i < held.size(); ++i)
            sum += held[i]->valid() ? weights[i] : 0;
        if (sum > total)
            throw std::runtime_error("too many permits: " + std::to_string(sum));
        if (is_numbered)
            check_number(l);
        ++grants;
    }

    // A stale holder of the same number has a smaller token.
    void check_number(lease const& l)
    {
        auto const number = l.number();
        auto const has_it = [&](lease const* other) {
            return other != &l && other->valid() && other->number() == number;
        };
        if (number < 1U || number > total || std::ranges::any_of(held, has_it))
            throw std::runtime_error("the number " + std::to_string(*number) + " is not free");
        if (*l.fencing_token() <= std::exchange(tokens[*number], *l.fencing_token()))
            throw std::runtime_error("the token of number " + std::to_string(*number) + " did not grow");
    }

    void leave(lease& l)
    {
        auto const at = std::ranges::find(held, &l) - held.begin();
        held.erase(held.begin() + at);
        weights.erase(weights.begin() + at);
    }

    awaitable<void> cancel(std::shared_ptr<asio::cancellation_signal> signal, std::string where)
    {
        co_await world.sleep(draw.between(0ms, 20ms), where);
        signal->emit(asio::cancellation_type::terminal);
    }

    awaitable<void> contend(semaphore s, std::string where)
    {
        for (int round = 0; round < 6; ++round) {
            auto const most = is_numbered ? 1 : draw.happens(0.3) ? total : 2;
            auto const weight = static_cast<unsigned>(1 + draw.below(most));
            error_code ec;
            auto l = co_await attempt(s, weight, where, ec);
            if (!ec && !l.empty()) {
                enter(l, weight);
                co_await world.sleep(draw.between(0ms, 40ms), where);
                leave(l);
                if (draw.happens(0.5))
                    co_await l.release(asio::redirect_error(use_awaitable, ec));
            } else if (ec == asio::error::operation_aborted)
                ++cancelled;
            co_await world.sleep(draw.between(0ms, 10ms), where);
        }
        --running;
    }

    awaitable<lease> attempt(semaphore const& s, unsigned weight, std::string where, error_code& ec)
    {
        auto const token = asio::redirect_error(use_awaitable, ec);
        if (draw.happens(0.3))
            co_return co_await s.try_acquire({.wait = draw.happens(0.5) ? 0ms : 30ms, .weight = weight}, token);
        if (draw.happens(0.4)) {
            auto const signal = std::make_shared<asio::cancellation_signal>();
            world.spawn(cancel(signal, where), where);
            co_return co_await s.acquire({.weight = weight}, asio::bind_cancellation_slot(signal->slot(), token));
        }
        co_return co_await s.acquire({.weight = weight}, token);
    }
};

// Semaphores without an order, fair ones and numbered ones, in turn; of some, clients receive all messages. Returns how
// many acquires were cancelled.
unsigned run_semaphore_contest(std::uint64_t seed, fault_plan faults, slot_change what)
{
    INFO("seed " << seed);
    permit_contest c(seed, faults, what);
    bool const fair = seed % 3 == 0;
    c.is_numbered = seed % 3 == 1;
    auto& a = c.world;
    std::vector<semaphore> handles;
    semaphore_options options{.permits = total, .fair = fair, .numbered = c.is_numbered, .waiter_timeout = 3s};
    for (std::string const where : {"A", "B", "C"}) {
        options.with_redisson = seed % 4 == 0 || (seed % 4 == 1 && where == "A");
        handles.emplace_back(a.client(where), "s", options);
    }
    for (std::size_t i = 0; i < handles.size(); ++i)
        for (int n = 0; n < 4; ++n) {
            auto const where = std::string(1, static_cast<char>('A' + i));
            ++c.running;
            a.spawn(c.contend(handles[i], where), where);
        }
    a.run([&]() -> awaitable<void> {
        for (int n = 0; n < 6'000 && c.running > 0; ++n)
            co_await a.sleep(100ms);
        REQUIRE(c.running == 0);
        a.simulated().for_each_server([](simulated_server& s) { s.faults = {}; });
        // One lease time, the longest reconnection, and the end of the subscriptions.
        co_await a.sleep(10s);
        semaphore const any(a.client("A"), "s", {.permits = total, .fair = fair, .waiter_timeout = 3s});
        auto all = co_await any.try_acquire({.wait = 10s, .weight = total});
        CHECK(all.valid());
        co_await all.release();
        CHECK(c.server().execute({"GET", "s"}).text == std::to_string(total));
        CHECK_FALSE(c.exists("{s}:timeout"));
        CHECK_FALSE(c.exists("holdfast_permit_queue:{s}"));
        CHECK_FALSE(c.exists("holdfast_permit_waiting:{s}"));
        // In a half-moved slot a script fails that removes the last waiter. The times of the queue may stay for a day
        // then.
        CHECK((c.slots || !c.exists("holdfast_permit_waiters:{s}")));
        co_await a.sleep(3s);
    });
    CHECK(c.grants > 5);
    return c.cancelled;
}

void run_semaphore_contests(fault_plan const& faults, slot_change what = slot_change::none)
{
    std::uint64_t cancelled = 0;
    for (std::uint64_t seed = first_seed(); seed <= last_seed(what == slot_change::none ? 60 : 30); ++seed)
        cancelled += run_semaphore_contest(seed, faults, what);
    CHECK(cancelled > 0);
    WARN(cancelled << " acquires were cancelled");
}

TEST_CASE("contenders of several processes never have too many permits, and none is lost", "[semaphore][contest]")
{
    run_semaphore_contests({});
}

TEST_CASE("also when connections break and replies are lost", "[semaphore][contest]")
{
    run_semaphore_contests({.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05});
}

TEST_CASE("contenders never have too many permits while their hash slot moves", "[semaphore][contest][cluster]")
{
    run_semaphore_contests({}, slot_change::moves);
}

TEST_CASE("also when messages are lost while the hash slot of a semaphore moves", "[semaphore][contest][cluster]")
{
    run_semaphore_contests(
        {.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05}, slot_change::moves);
}

TEST_CASE(
    "contenders never have too many permits when their primary fails over", "[semaphore][contest][cluster][failover]")
{
    run_semaphore_contests({}, slot_change::fails_over);
}

}  // namespace
}  // namespace holdfast::test
