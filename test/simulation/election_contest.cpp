//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Candidates of several processes stand for election, with random cancellations, values and resignations, while
// observers watch; one process is unhealthy now and then. No two leaders are valid at once, the terms grow, no observer
// goes back, and each observer ends with the last state. With a settle time, processes are also paused while they lead:
// the next leader does not begin before the body of a leader that lost its leadership has had that time to end.
// HOLDFAST_SEEDS is the number of contests.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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

struct observation {
    std::optional<leader> last;
    std::uint64_t newest = 0;
    bool has_ended = false;
};

struct election_contest {
    arena world;
    std::optional<contested_slot> slots;  // of a cluster
    chance draw;
    core::duration settle;
    std::vector<leadership const*> leading;
    std::uint64_t last_term = 0;
    unsigned running = 0;
    unsigned terms = 0;
    unsigned cancelled = 0;
    std::deque<observation> observations;

    election_contest(std::uint64_t seed, fault_plan f, slot_change what, core::duration s)
        : world({.world = {.seed = seed}, .faults = f}), draw(seed), settle(s)
    {
        if (what != slot_change::none)
            slots.emplace(world, "boss", what);
    }

    bool exists(std::string_view key)
    {
        return (slots ? slots->server() : world.server()).execute({"EXISTS", key}).integer != 0;
    }

    // Those whose bodies have not ended have not resigned.
    bool begins_too_early() const
    {
        return std::ranges::any_of(leading, [this](auto const* other) {
            return world.now() < tenure_of(other->held()).valid_until() + settle;
        });
    }

    void begin(leadership const& me)
    {
        if (std::ranges::any_of(leading, [](auto const* other) { return other->valid(); }))
            throw std::runtime_error("two leaders at once");
        if (begins_too_early())
            throw std::runtime_error("a leader did not wait for the settle time");
        if (me.term() <= std::exchange(last_term, me.term()))
            throw std::runtime_error("a term did not grow");
        leading.push_back(&me);
        ++terms;
    }

    awaitable<void> cancel(std::shared_ptr<asio::cancellation_signal> signal, std::string where)
    {
        co_await world.sleep(draw.between(0ms, 20ms), where);
        signal->emit(asio::cancellation_type::terminal);
    }

    awaitable<leadership> campaign(election const& e, std::string const& value, std::string where, error_code& ec)
    {
        auto const token = asio::redirect_error(use_awaitable, ec);
        if (draw.happens(0.3))
            co_return co_await e.campaign(value, {.wait = draw.happens(0.5) ? 0ms : 30ms}, token);
        if (!draw.happens(0.4))
            co_return co_await e.campaign(
                value, {.lease = 300ms, .priority = static_cast<int>(1 + draw.below(10))}, token);
        auto const signal = std::make_shared<asio::cancellation_signal>();
        world.spawn(cancel(signal, where), where);
        co_return co_await e.campaign(value, asio::bind_cancellation_slot(signal->slot(), token));
    }

    awaitable<void> stand(election e, std::string where)
    {
        for (int round = 0; round < 5; ++round) {
            error_code ec;
            auto me = co_await campaign(e, where + std::to_string(round), where, ec);
            if (!ec && me)
                co_await rule(me, where);
            else if (ec == asio::error::operation_aborted)
                ++cancelled;
            co_await world.sleep(draw.between(0ms, 10ms), where);
        }
        --running;
    }

    awaitable<void> rule(leadership& me, std::string where)
    {
        error_code ec;
        begin(me);
        if (draw.happens(0.3))
            co_await me.proclaim(where + " ready", asio::redirect_error(use_awaitable, ec));
        if (settle > core::duration() && draw.happens(0.2))
            world.at(where).pause_for(draw.between(100ms, 900ms));
        co_await world.sleep(draw.between(0ms, 40ms), where);
        std::erase(leading, &me);
        if (draw.happens(0.5))
            co_await me.resign(asio::redirect_error(use_awaitable, ec));
    }

    awaitable<void> observe(election e, observation& o)
    {
        error_code ec;
        auto watch = e.observe();
        for (;;) {
            auto now = co_await watch.next(asio::redirect_error(use_awaitable, ec));
            if (ec)
                break;
            if (now && now->term < o.newest)
                throw std::runtime_error("an observer went back");
            o.newest = now ? now->term : o.newest;
            o.last = std::move(now);
        }
        o.has_ended = true;
    }

    // A client learns of a failover when a command is not answered.
    awaitable<std::optional<leader>> current(client& c)
    {
        for (int n = 0; slots && n < 5; ++n) {
            error_code ec;
            auto now = co_await election(c, "boss").current(asio::redirect_error(use_awaitable, ec));
            if (ec != errc::unavailable)
                co_return now;
        }
        co_return co_await election(c, "boss").current();
    }

    awaitable<void> end(client& c, fault_plan const& before)
    {
        for (int n = 0; n < 6'000 && running > 0; ++n)
            co_await world.sleep(100ms);
        REQUIRE(running == 0);
        world.simulated().for_each_server([](simulated_server& s) { s.faults = {}; });
        // One lease time, the longest reconnection, and the end of the subscriptions.
        co_await world.sleep(before.disconnect > 0 ? 10s : 4s);
        CHECK_FALSE(co_await current(c));
        auto me = co_await election(c, "boss").campaign("the last");
        CHECK(me.term() > last_term);
        co_await world.sleep(20ms);
        for (auto const& o : observations) {
            REQUIRE(o.last);
            CHECK(o.last->value == "the last");
        }
        co_await me.resign();
        co_await world.sleep(20ms);
        for (auto const& o : observations)
            CHECK_FALSE(o.last);
        // The last candidate has removed places whose release was given up in an outage.
        CHECK_FALSE(exists("redisson_lock_queue:{boss}"));
        CHECK_FALSE(exists("holdfast_lock_waiters:{boss}"));
    }
};

unsigned run_election_contest(std::uint64_t seed, fault_plan faults, slot_change what, std::chrono::milliseconds settle)
{
    INFO("seed " << seed);
    election_contest c(seed, faults, what, settle);
    auto& a = c.world;
    std::vector<client*> clients;
    for (std::string const where : {"A", "B", "C"})
        clients.push_back(&a.client(where));
    for (std::size_t i = 0; i < clients.size(); ++i) {
        auto const where = std::string(1, static_cast<char>('A' + i));
        std::function<bool()> healthy;
        if (where == "C")
            healthy = [&c] { return c.draw.happens(0.7); };
        election const e(*clients[i], "boss", {.settle = settle}, healthy);
        for (int n = 0; n < 2; ++n) {
            ++c.running;
            a.spawn(c.stand(e, where), where);
        }
        a.spawn(c.observe(e, c.observations.emplace_back()), where);
    }
    a.run(c.end(*clients[0], faults));
    for (auto* k : clients)
        k->stop();
    a.world().run();
    CHECK(std::ranges::all_of(c.observations, &observation::has_ended));
    CHECK(c.terms > 3);
    return c.cancelled;
}

void run_election_contests(
    fault_plan const& faults, slot_change what = slot_change::none, std::chrono::milliseconds settle = 0ms)
{
    std::uint64_t cancelled = 0;
    for (std::uint64_t seed = first_seed(); seed <= last_seed(what == slot_change::none ? 60 : 30); ++seed)
        cancelled += run_election_contest(seed, faults, what, settle);
    CHECK(cancelled > 0);
    WARN(cancelled << " campaigns were cancelled");
}

TEST_CASE("two leaders are never valid at once, and observers learn the last state", "[election][contest]")
{
    run_election_contests({});
}

TEST_CASE("also when connections break, and replies and messages are lost", "[election][contest]")
{
    run_election_contests({.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05});
}

TEST_CASE(
    "two leaders are never valid at once while the hash slot of the election moves", "[election][contest][cluster]")
{
    run_election_contests({}, slot_change::moves);
}

TEST_CASE("also when messages are lost while the hash slot of an election moves", "[election][contest][cluster]")
{
    run_election_contests(
        {.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05}, slot_change::moves);
}

TEST_CASE("two leaders are never valid at once when their primary fails over", "[election][contest][cluster][failover]")
{
    run_election_contests({}, slot_change::fails_over);
}

TEST_CASE("a leader that lost its leadership has the settle time to end", "[election][contest]")
{
    run_election_contests(
        {.lose_request = 0.005, .lose_reply = 0.005, .disconnect = 0.01, .drop_push = 0.05}, slot_change::none, 100ms);
}

}  // namespace
}  // namespace holdfast::test
