//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The settle time of an election: who waits for it, and each transition of the table in
// operations/attended_campaign.hpp into and out of `settling`.

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

constexpr election_options settles{.settle = 10s};
constexpr campaign_options short_lease{.lease = 1s};

// A former leader in the process "A", and a candidate in the process "B". The settle time is ten lease times.
struct successor {
    arena world;
    bool is_healthy = true;
    client& home = world.client("B");
    election former{world.client("A"), "boss", settles};
    election own{home, "boss", settles, [this] { return is_healthy; }};
    election next{world.client("C"), "boss", settles};
    std::optional<leadership> gone;
    asio::cancellation_signal signal;
    std::optional<leadership> me;
    error_code ec;
    core::instant led{};
    bool has_ended = false;

    // The former leader dies; its lease ends within a second. The server knows all scripts then: a script that it does
    // not know is executed later than those that were sent after it.
    awaitable<void> lead_and_die()
    {
        co_await time_to_lead();
        gone = co_await former.campaign("a", short_lease);
        world.at("A").kill();
    }
    awaitable<void> campaign(campaign_options options)
    {
        options.lease = 1s;
        me = co_await own.campaign(
            "b", options, asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(use_awaitable, ec)));
        led = world.now();
        has_ended = true;
    }
    void stand(campaign_options const& options = {})
    {
        has_ended = false;
        world.spawn(campaign(options), "B");
    }
    // Until the lock has been granted to "B", which settles then.
    awaitable<core::instant> granted()
    {
        co_await world.sleep(1100ms, "C");
        CHECK(world.exists("boss"));
        CHECK_FALSE(has_ended);
        co_return world.now();
    }
    bool leads() const { return has_ended && !ec && me->valid(); }
    bool is_free() { return !world.exists("boss"); }

    // How long the process "C" waits until it leads.
    awaitable<core::duration> time_to_lead()
    {
        auto const began = world.now();
        auto other = co_await next.campaign("c", short_lease);
        CHECK(other.valid());
        auto const took = world.now() - began;
        co_await other.resign();
        co_return took;
    }
};

TEST_CASE(
    "after a leader that died the next one holds the lock for the settle time before it leads", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            t.stand();
            auto const then = co_await t.granted();
            auto const holder = co_await t.next.current();
            for (int s = 0; s < 9; ++s) {
                co_await t.world.sleep(1s, "C");
                CHECK_FALSE(t.has_ended);
                CHECK_FALSE(t.is_free());
            }
            co_await t.world.sleep(1s, "C");
            CHECK(t.leads());
            CHECK(t.led - then > 9'900ms);
            // It is the same grant, which was renewed all the time.
            CHECK(t.me->term() == holder.value_or(leader()).term);
            // From then on it is renewed as any other.
            co_await t.world.sleep(5s, "C");
            CHECK(t.me->valid());
        }(),
        "C");
}

TEST_CASE("a first leader, and one after a resignation, lead at once", "[election][settle]")
{
    successor t;
    t.world.run([&]() -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            auto const took = co_await t.time_to_lead();
            CHECK(took < 100ms);
        }
        CHECK_FALSE(t.world.exists("holdfast_leader:{boss}"));
    });
}

TEST_CASE("after a leadership that was ended by force the next leader waits for the settle time", "[election][settle]")
{
    successor t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.former.campaign("a", short_lease);
        co_await t.next.force_release();
        auto const nobody = co_await t.next.current();
        CHECK_FALSE(nobody);
        CHECK(t.world.exists("holdfast_leader:{boss}"));
        auto const first = co_await t.time_to_lead();
        CHECK(first >= 10s);
        auto const second = co_await t.time_to_lead();
        CHECK(second < 100ms);
    });
}

TEST_CASE("a leader that resigned after it had been followed changes nothing", "[election][settle]")
{
    successor t;
    t.world.run([&]() -> awaitable<void> {
        auto me = co_await t.former.campaign("a", short_lease);
        co_await t.next.force_release();
        t.stand();
        co_await t.world.sleep(1s);
        error_code ec;
        co_await me.resign(asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::lease_lost);
        co_await t.world.sleep(8s);
        CHECK_FALSE(t.has_ended);
        co_await t.world.sleep(1100ms);
        CHECK(t.leads());
    });
}

TEST_CASE(
    "a candidate that gives up while it settles leaves the rest of the time to the next one", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            t.stand();
            co_await t.granted();
            co_await t.world.sleep(4s, "C");
            t.signal.emit(asio::cancellation_type::terminal);
            co_await t.world.sleep(50ms, "C");
            CHECK(t.ec == asio::error::operation_aborted);
            CHECK(t.is_free());
            auto const rest = co_await t.time_to_lead();
            CHECK(rest > 5s);
            CHECK(rest < 6s);
            auto const later = co_await t.time_to_lead();
            CHECK(later < 100ms);
        }(),
        "C");
}

TEST_CASE("a campaign ends with its wait, also while it settles", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            t.stand({.wait = 3s});
            co_await t.granted();
            co_await t.world.sleep(1950ms, "C");
            CHECK(t.has_ended);
            CHECK_FALSE(t.ec);
            CHECK(t.me->empty());
            co_await t.world.sleep(50ms, "C");
            CHECK(t.is_free());
            // A single attempt ends at once.
            t.stand({.wait = 0ms});
            co_await t.world.sleep(100ms, "C");
            CHECK(t.has_ended);
            CHECK(t.me->empty());
            CHECK(t.is_free());
        }(),
        "C");
}

TEST_CASE("a candidate that loses the lock while it settles stands again", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            t.stand();
            co_await t.granted();
            co_await t.world.sleep(4s, "C");
            t.world.server().execute({"DEL", "boss"});
            co_await t.world.sleep(1s, "C");
            CHECK_FALSE(t.has_ended);
            CHECK_FALSE(t.is_free());
            co_await t.world.sleep(6s, "C");
            CHECK(t.leads());
        }(),
        "C");
}

TEST_CASE(
    "a candidate that becomes unhealthy while it settles releases the lock, and stands again", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            t.stand();
            co_await t.granted();
            co_await t.world.sleep(2s, "C");
            t.is_healthy = false;
            co_await t.world.sleep(400ms, "C");
            CHECK(t.is_free());
            CHECK_FALSE(t.has_ended);
            co_await t.world.sleep(2s, "C");
            t.is_healthy = true;
            co_await t.world.sleep(400ms, "C");
            CHECK_FALSE(t.is_free());
            co_await t.world.sleep(6s, "C");
            CHECK(t.leads());
        }(),
        "C");
}

TEST_CASE("a campaign that settles ends with its client", "[election][settle]")
{
    for (bool const is_shutdown : {true, false}) {
        CAPTURE(is_shutdown);
        successor t;
        t.world.run(t.lead_and_die(), "C");
        t.world.run(
            [&]() -> awaitable<void> {
                t.stand();
                auto const then = co_await t.granted();
                error_code ec;
                if (is_shutdown)
                    co_await t.home.shutdown({.grace = 5s}, asio::redirect_error(use_awaitable, ec));
                else
                    t.home.stop();
                co_await t.world.sleep(10ms, "C");
                CHECK(t.has_ended);
                CHECK(t.ec == errc::client_stopped);
                // A shutdown releases the lock, and need not wait for its grace.
                CHECK(t.is_free() == is_shutdown);
                CHECK(t.world.now() - then < 1s);
            }(),
            "C");
    }
}

TEST_CASE("lead() calls its body after the settle time", "[election][settle]")
{
    successor t;
    t.world.run(t.lead_and_die(), "C");
    t.world.run(
        [&]() -> awaitable<void> {
            auto const began = t.world.now();
            auto body = [&](leadership& me) -> awaitable<void> {
                CHECK(me.valid());
                CHECK(t.world.now() - began >= 10s);
                co_return;
            };
            co_await lead(t.next, "c", short_lease, body);
        }(),
        "C");
}

TEST_CASE("a settle time has bounds", "[election][settle]")
{
    successor t;
    CHECK_THROWS_AS(election(t.home, "boss", {.settle = -1ms}), std::invalid_argument);
    CHECK_THROWS_AS(election(t.home, "boss", {.settle = 12h + 1ms}), std::invalid_argument);
    CHECK_NOTHROW(election(t.home, "boss", {.settle = 12h}));
}

}  // namespace
}  // namespace holdfast::test
