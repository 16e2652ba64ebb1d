//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The health predicate of an election: each transition of the table in operations/attended_campaign.hpp, and what a
// leader is asked.

#include <optional>
#include <stdexcept>
#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

// How a campaign has ended.
struct campaign_end {
    error_code ec;
    leadership me;
};

// A rival without a predicate in the process "A", and a candidate with one in the process "B", which asks it each
// second.
struct doubtful_candidate {
    arena world;
    bool is_healthy = true;
    unsigned asked = 0;
    client& home = world.client("B");
    election rival{world.client("A"), "boss"};
    election own{home, "boss", {}, [this] { return ask(); }};
    asio::cancellation_signal signal;
    std::optional<campaign_end> end;

    bool ask()
    {
        ++asked;
        return is_healthy;
    }
    awaitable<void> campaign(campaign_options options)
    {
        campaign_end e;
        options.lease = 3s;
        e.me = co_await own.campaign(
            "b", options, asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, e.ec)));
        end = std::move(e);
    }
    void stand(campaign_options const& options = {}) { world.spawn(campaign(options), "B"); }
    bool is_queued() { return world.exists("redisson_lock_queue:{boss}"); }
    bool leads() const { return end && end->me.valid(); }
    bool has_failed(error_code ec) const { return end && end->ec == ec && end->me.empty(); }
    bool is_busy() const { return has_failed({}); }
};

TEST_CASE("a healthy candidate stands, and is asked each third of its lease time", "[election][health]")
{
    doubtful_candidate t;
    t.world.run([&]() -> awaitable<void> {
        auto other = co_await t.rival.campaign("a");
        t.stand();
        co_await t.world.sleep(5500ms);
        CHECK(t.asked == 6);
        CHECK(t.is_queued());
        co_await other.resign();
        co_await t.world.sleep(10ms);
        CHECK(t.leads());
        co_await t.world.sleep(60s);
        CHECK(t.asked == 6);
        CHECK(t.leads());
    });
}

TEST_CASE("an unhealthy candidate is in no queue, and leads when it is healthy", "[election][health]")
{
    doubtful_candidate t;
    t.is_healthy = false;
    t.world.run([&]() -> awaitable<void> {
        t.stand();
        co_await t.world.sleep(10s);
        CHECK_FALSE(t.end);
        CHECK_FALSE(t.world.exists("boss"));
        t.is_healthy = true;
        co_await t.world.sleep(1100ms);
        CHECK(t.leads());
    });
}

TEST_CASE("a candidate that becomes unhealthy leaves the queue, and comes back at its end", "[election][health]")
{
    doubtful_candidate t;
    election const third(t.world.client("C"), "boss");
    std::string second;
    t.world.run([&]() -> awaitable<void> {
        auto other = co_await t.rival.campaign("a");
        t.stand();
        co_await t.world.sleep(100ms);
        CHECK(t.is_queued());
        t.is_healthy = false;
        co_await t.world.sleep(1100ms);
        CHECK_FALSE(t.is_queued());
        CHECK_FALSE(t.end);
        auto const wait = [&]() -> awaitable<void> {
            auto me = co_await third.campaign("c");
            second = "c";
            co_await t.world.sleep(100ms, "C");
        };
        t.world.spawn(wait(), "C");
        co_await t.world.sleep(100ms);
        t.is_healthy = true;
        co_await t.world.sleep(1100ms);
        auto const waiting = co_await t.rival.candidates();
        CHECK(waiting.size() == 2);
        co_await other.resign();
        co_await t.world.sleep(50ms);
        CHECK(second == "c");
        CHECK_FALSE(t.end);
        co_await t.world.sleep(100ms);
        CHECK(t.leads());
    });
}

TEST_CASE("an unhealthy candidate waits no longer than it was told to", "[election][health]")
{
    doubtful_candidate t;
    t.is_healthy = false;
    t.world.run([&]() -> awaitable<void> {
        t.stand({.wait = 0ms});
        co_await t.world.sleep(10ms);
        CHECK(t.is_busy());
        CHECK(t.asked == 1);

        t.end.reset();
        t.stand({.wait = 1500ms});
        co_await t.world.sleep(1400ms);
        CHECK_FALSE(t.end);
        co_await t.world.sleep(200ms);
        CHECK(t.is_busy());
        CHECK_FALSE(t.world.exists("boss"));
    });
}

TEST_CASE("the time away counts as time waited", "[election][health]")
{
    doubtful_candidate t;
    t.is_healthy = false;
    t.world.run([&]() -> awaitable<void> {
        auto const other = co_await t.rival.campaign("a");
        t.stand({.wait = 1500ms});
        co_await t.world.sleep(900ms);
        t.is_healthy = true;
        co_await t.world.sleep(500ms);
        CHECK(t.is_queued());
        CHECK_FALSE(t.end);
        co_await t.world.sleep(150ms);
        CHECK(t.is_busy());
        CHECK_FALSE(t.is_queued());
    });
}

TEST_CASE("a campaign with a health predicate is cancelled in each state", "[election][health]")
{
    doubtful_candidate t;
    t.world.run([&]() -> awaitable<void> {
        auto other = co_await t.rival.campaign("a");
        for (bool const is_healthy : {true, false}) {
            t.is_healthy = is_healthy;
            t.end.reset();
            t.stand();
            co_await t.world.sleep(100ms);
            CHECK(t.is_queued() == is_healthy);
            t.signal.emit(asio::cancellation_type::terminal);
            co_await t.world.sleep(100ms);
            CHECK(t.has_failed(asio::error::operation_aborted));
            CHECK_FALSE(t.is_queued());
        }
        auto const asked = t.asked;
        co_await t.world.sleep(10s);
        CHECK(t.asked == asked);
        co_await other.resign();
        co_await t.world.sleep(100ms);
        CHECK_FALSE(t.world.exists("boss"));
    });
}

TEST_CASE("a candidate that leaves while its attempt is under way leaves nothing", "[election][health]")
{
    for (auto const delay : {500us, 1000us, 1500us, 2500us}) {
        CAPTURE(delay.count());
        doubtful_candidate t;
        t.is_healthy = false;
        t.world.run([&]() -> awaitable<void> {
            auto me = co_await t.rival.campaign("a");
            co_await me.resign();
            t.stand();
            co_await t.world.sleep(500ms);
            t.is_healthy = true;
            co_await t.world.sleep(500ms + delay);
            t.signal.emit(asio::cancellation_type::terminal);
            co_await t.world.sleep(100ms);
            REQUIRE(t.end);
            t.end.reset();
            co_await t.world.sleep(100ms);
            CHECK_FALSE(t.world.exists("boss"));
            CHECK_FALSE(t.is_queued());
        });
    }
}

TEST_CASE("a campaign with a health predicate ends with its client in each state", "[election][health]")
{
    for (bool const is_healthy : {true, false})
        for (bool const is_shutdown : {true, false}) {
            CAPTURE(is_healthy, is_shutdown);
            doubtful_candidate t;
            t.is_healthy = is_healthy;
            t.world.run([&]() -> awaitable<void> {
                auto const other = co_await t.rival.campaign("a");
                t.stand();
                co_await t.world.sleep(100ms);
                error_code ec;
                if (is_shutdown)
                    co_await t.home.shutdown({.grace = 5s}, asio::redirect_error(use_awaitable, ec));
                else
                    t.home.stop();
                co_await t.world.sleep(1100ms);
                CHECK(t.has_failed(errc::client_stopped));
            });
        }
}

TEST_CASE("a client that was stopped ends a campaign with a health predicate at once", "[election][health]")
{
    for (bool const is_healthy : {true, false}) {
        doubtful_candidate t;
        t.is_healthy = is_healthy;
        t.world.run([&]() -> awaitable<void> {
            t.home.stop();
            co_await t.world.sleep(10ms);
            t.stand();
            co_await t.world.sleep(10ms);
            CHECK(t.has_failed(errc::client_stopped));
        });
    }
}

TEST_CASE("a leader is asked to yield when it is unhealthy", "[election][health]")
{
    doubtful_candidate t;
    std::optional<yield_reason> why;
    t.world.run([&]() -> awaitable<void> {
        t.stand();
        co_await t.world.sleep(100ms);
        REQUIRE(t.leads());
        auto const wait = [&]() -> awaitable<void> { why = co_await t.end->me.asked_to_yield(); };
        t.world.spawn(wait(), "B");
        co_await t.world.sleep(10s);
        CHECK_FALSE(why);
        t.is_healthy = false;
        co_await t.world.sleep(1100ms);
        CHECK(why == yield_reason::unhealthy);
        CHECK(t.leads());
        auto const at_once = co_await t.end->me.asked_to_yield();
        CHECK(at_once == yield_reason::unhealthy);
        auto const asked = t.asked;
        co_await t.world.sleep(10s);
        CHECK(t.asked == asked);
    });
}

TEST_CASE("a health predicate that throws says that it is unhealthy", "[election][health]")
{
    doubtful_candidate t;
    election const broken(t.home, "boss", {}, []() -> bool { throw std::runtime_error("no disk"); });
    t.world.run([&]() -> awaitable<void> {
        auto const none = co_await broken.campaign("b", {.wait = 100ms});
        CHECK(none.empty());
    });
}

}  // namespace
}  // namespace holdfast::test
