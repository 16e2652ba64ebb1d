//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Coroutines of several processes contend for random selections of a few mutexes, each as one multi_lock, in random
// order and with random cancellations: over one server, and over a cluster in which the slot of two of them moves. No
// two valid holds of a mutex overlap, every contender completes, and no key is left. HOLDFAST_SEEDS is the number of
// contests.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/contest.hpp"
#include "simulation/contested_slot.hpp"
#include "support/interval_checker.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// Of a cluster, the first two have the same hash slot, which moves; the others are at other primaries.
constexpr char const* contested_mutexes[] = {"{a}1", "{a}2", "b", "c"};

struct multi_contest {
    arena world;
    std::optional<contested_slot> slots;  // of a cluster
    chance draw;
    std::vector<held_interval> holds;
    unsigned running = 0;
    unsigned cancelled = 0;

    multi_contest(std::uint64_t seed, fault_plan f, slot_change what)
        : world({.world = {.seed = seed}, .faults = f}), draw(seed)
    {
        if (what != slot_change::none)
            slots.emplace(world, contested_mutexes[0], what);
    }

    // Two to four of the mutexes, in random order.
    std::vector<std::string> selection()
    {
        std::vector<std::string> all(std::begin(contested_mutexes), std::end(contested_mutexes));
        for (auto i = all.size(); i > 1; --i)
            std::swap(all[i - 1], all[draw.below(i)]);
        all.resize(2 + draw.below(3));
        return all;
    }

    awaitable<void> cancel(std::shared_ptr<asio::cancellation_signal> signal, std::string where)
    {
        co_await world.sleep(draw.between(0ms, 30ms), where);
        signal->emit(asio::cancellation_type::terminal);
    }

    awaitable<lease> attempt(multi_lock const& all, std::string where, error_code& ec)
    {
        auto const token = asio::redirect_error(use_awaitable, ec);
        if (draw.happens(0.3))
            co_return co_await all.try_acquire({.wait = draw.happens(0.5) ? 0ms : 50ms}, token);
        if (draw.happens(0.6))
            co_return co_await all.acquire(token);
        auto const signal = std::make_shared<asio::cancellation_signal>();
        world.spawn(cancel(signal, where), where);
        co_return co_await all.acquire(asio::bind_cancellation_slot(signal->slot(), token));
    }

    awaitable<void> hold(lease l, std::vector<std::string> names, std::string holder, std::string where)
    {
        auto const from = world.now();
        co_await world.sleep(draw.between(0ms, 30ms), where);
        auto const to = l.valid() ? world.now() : from;
        for (auto const& name : names)
            holds.push_back({name, holder, from.time_since_epoch().count(), to.time_since_epoch().count()});
        error_code ignored;
        if (draw.happens(0.5))
            co_await l.release(asio::redirect_error(use_awaitable, ignored));
    }

    awaitable<void> contend(client& c, std::string where, int number)
    {
        for (int round = 0; round < 5; ++round) {
            auto const names = selection();
            std::vector<any_lock> members;
            for (auto const& name : names)
                members.emplace_back(mutex(c, name));
            error_code ec;
            auto l = co_await attempt(multi_lock(members), where, ec);
            if (!l.empty())
                co_await hold(std::move(l), names, where + std::to_string(number), where);
            else if (ec == asio::error::operation_aborted)
                ++cancelled;
            co_await world.sleep(draw.between(0ms, 10ms), where);
        }
        --running;
    }

    std::int64_t keys()
    {
        std::int64_t count = 0;
        world.simulated().for_each_server([&](simulated_server& s) {
            s.execute({"PING"});  // removes the keys that have expired
            count += std::ranges::ssize(s.model().keys().names());
        });
        return count;
    }

    awaitable<void> end()
    {
        for (int n = 0; n < 6'000 && running > 0; ++n)
            co_await world.sleep(100ms);
        REQUIRE(running == 0);
        world.simulated().for_each_server([](simulated_server& s) { s.faults = {}; });
        co_await world.sleep(10s);  // one lease time, and the longest reconnection
        CHECK(keys() == 0);
        CHECK(holds.size() > 10);
        CHECK(find_violation(holds).value_or("none") == "none");
    }
};

void run_multi_lock_contests(fault_plan const& faults, slot_change what)
{
    std::uint64_t cancelled = 0;
    for (std::uint64_t seed = first_seed(); seed <= last_seed(30); ++seed) {
        INFO("seed " << seed);
        multi_contest c(seed, faults, what);
        for (std::string const where : {"A", "B", "C"}) {
            auto& of = c.world.client(where);
            for (int n = 0; n < 3; ++n, ++c.running)
                c.world.spawn(c.contend(of, where, n), where);
        }
        c.world.run(c.end());
        cancelled += c.cancelled;
    }
    CHECK(cancelled > 0);
}

constexpr fault_plan lossy_network{.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05};

TEST_CASE("contenders for multi_locks exclude each other and leave nothing", "[multi_lock][contest]")
{
    run_multi_lock_contests({}, slot_change::none);
}

TEST_CASE("contenders for multi_locks exclude each other over a bad network", "[multi_lock][contest]")
{
    run_multi_lock_contests(lossy_network, slot_change::none);
}

TEST_CASE("contenders for multi_locks exclude each other while a hash slot moves", "[multi_lock][contest][cluster]")
{
    run_multi_lock_contests({}, slot_change::moves);
}

TEST_CASE(
    "contenders for multi_locks exclude each other over a bad network while a hash slot moves",
    "[multi_lock][contest][cluster]")
{
    run_multi_lock_contests(lossy_network, slot_change::moves);
}

TEST_CASE(
    "contenders for multi_locks exclude each other when a primary fails over",
    "[multi_lock][contest][cluster][failover]")
{
    run_multi_lock_contests({}, slot_change::fails_over);
}

}  // namespace
}  // namespace holdfast::test
