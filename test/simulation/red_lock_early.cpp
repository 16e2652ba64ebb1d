//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A red_lock is held as soon as a majority has granted it: slow servers join later, silent ones are not waited for.

#include <catch2/catch_test_macros.hpp>

#include "simulation/red_arena.hpp"
#include "support/cancellable_acquire.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr core::duration round_trip = 2ms;
constexpr core::duration slow_trip = 20ms;

constexpr red_options for_slow_nodes{.node_timeout = 50ms, .trust_new_nodes = true};
constexpr red_options for_slow_nodes_fenced{.fencing = true, .node_timeout = 50ms, .trust_new_nodes = true};

// Five servers that are connected and have loaded the scripts when a test body begins.
struct known_nodes : nodes {
    known_nodes() : nodes(5, {.world = {.fifo = true}, .network = {.delay = {1ms, 1ms}}}) {}

    // Connects the clients, each of which reads the age of its server then, and loads the scripts.
    awaitable<void> meet(std::vector<holdfast::client const*> const& all)
    {
        co_await ready(all);
        for (auto const& o : {for_slow_nodes, for_slow_nodes_fenced}) {
            auto const l = co_await red_lock(all, "first", o).acquire();
            co_await sleep(100ms);
        }
        co_await sleep(100ms);
    }

    void slow_down(unsigned i, core::duration trip = slow_trip) { node(i).network.delay = {trip / 2, trip / 2}; }
};

using client_list = std::vector<holdfast::client const*>;

// Runs a test body with five servers and clients that are connected to them.
template <class Scenario>
void among_known(Scenario scenario)
{
    known_nodes a;
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.meet(all);
        co_await scenario(a, all);
    });
}

// Acquires the lock; returns how long that took.
awaitable<core::duration> took(nodes& a, red_lock lock, lease& l)
{
    auto const start = a.now();
    l = co_await lock.acquire();
    co_return a.now() - start;
}

// ---- servers that are not waited for

TEST_CASE("a red_lock acquire does not wait for a silent minority", "[red_lock]")
{
    for (bool const fencing : {false, true})
        for (unsigned silent = 0; silent <= 2; ++silent) {
            among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
                for (unsigned i = 0; i < silent; ++i)
                    a.node(i).pause();
                lease l;
                auto const time = co_await took(
                    a, red_lock(all, "r", fencing ? for_slow_nodes_fenced : for_slow_nodes), l);
                CHECK(time <= (fencing ? 3 : 1) * round_trip);  // once more for a script that was never loaded
                CHECK(l.valid());
                CHECK(l.fencing_token().has_value() == fencing);
                for (unsigned i = 0; i < silent; ++i)
                    a.node(i).resume();
                co_await l.release();
                co_await a.sleep(1s);
                CHECK(a.keys("r") == 0);
            });
        }
}

// Only servers whose grants have arrived are asked to confirm the token: usually just a majority. The process is paused
// until all five have arrived, so that a majority confirms without the silent one.
TEST_CASE(
    "a red_lock does not wait for a server that falls silent before it confirms the fencing token",
    "[red_lock][fencing]")
{
    among_known([](known_nodes& a, client_list const& all) -> awaitable<void> {
        constexpr core::duration pause = 3ms;
        auto& silent = a.node(0);
        bool is_silent = false;
        bool is_asked = false;
        after_grant(silent, [&] {
            a.world().at(a.now(), [&] {
                silent.pause();
                is_silent = true;
                a.at("A").pause_for(pause);
            });
        });
        silent.check([&](executed const& e) { is_asked = is_asked || (is_silent && e.what.args[0] == "EVALSHA"); });
        lease l;
        auto const time = co_await took(a, red_lock(all, "r", for_slow_nodes_fenced), l);
        REQUIRE(is_silent);
        // The grants, and the confirmations: once more for a script that was never loaded.
        CHECK(time <= round_trip / 2 + pause + 2 * round_trip);
        CHECK(l.fencing_token());
        CHECK_FALSE(is_asked);
        silent.resume();
        co_await a.sleep(200ms);
        CHECK(is_asked);  // the request to confirm was on its way
        CHECK(a.keys("r") == 5);
    });
}

TEST_CASE("a red_lock that is a member of a multi_lock does not wait for a silent server", "[red_lock][multi_lock]")
{
    known_nodes a;
    auto const all = a.clients();
    multi_lock const both(red_lock(all, "r", for_slow_nodes), mutex(*all[0], "m"));
    a.run([&]() -> awaitable<void> {
        co_await a.meet(all);
        a.node(3).pause();
        auto const start = a.now();
        auto l = co_await both.acquire();
        CHECK(a.now() - start == round_trip);
        CHECK(l.valid());
        a.node(3).resume();
    });
}

TEST_CASE("try_acquire of a red_lock completes as busy at once when another client holds a majority", "[red_lock]")
{
    known_nodes a;
    auto const ours = a.clients();
    auto const theirs = a.clients("B");
    a.run([&]() -> awaitable<void> {
        co_await a.meet(ours);
        auto held = co_await red_lock(theirs, "r", for_slow_nodes).acquire();
        a.node(1).pause();
        auto const start = a.now();
        auto l = co_await red_lock(ours, "r", for_slow_nodes).try_acquire();
        CHECK(l.empty());
        CHECK(a.now() - start <= 2 * round_trip);  // each client makes two attempts before it is busy
        a.node(1).resume();
        co_await held.release();
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("try_acquire of a red_lock fails at once when a majority of the servers refuses the attempt", "[red_lock]")
{
    among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
        for (unsigned i : {0u, 1u, 2u})
            a.node(i).model().set_condition(simulated::condition::disk_error);
        a.node(3).pause();
        auto const start = a.now();
        error_code ec;
        auto l = co_await red_lock(all, "r", for_slow_nodes).try_acquire(redirect(ec));
        CHECK(ec == errc::server_refused);
        CHECK(a.now() - start == round_trip);
        a.node(3).resume();
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

// ---- servers that grant late

TEST_CASE("servers that grant a red_lock late join its lease", "[red_lock][loss]")
{
    struct {
        red_options options;
        core::duration trip;
    } const cases[] = {
        {for_slow_nodes, slow_trip}, {for_slow_nodes_fenced, slow_trip}, {for_slow_nodes_fenced, round_trip + 1ms}};
    for (auto const& [options, trip] : cases) {
        among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
            a.slow_down(3, trip);
            a.slow_down(4, trip);
            lease l;
            auto const time = co_await took(a, red_lock(all, "r", options), l);
            CHECK(time < slow_trip);
            int notified = 0;
            loss why{};
            l.lost([&](error_code ec, loss reason) {
                notified += !ec;
                why = reason;
            });
            co_await a.sleep(2 * slow_trip);
            CHECK(a.keys("r") == 5);
            for (unsigned i : {0u, 1u})  // so that they cannot join again
                a.node(i).execute({"SET", "r", "somebody else", "PX", "60000"});
            co_await a.sleep(20s);  // renewed meanwhile
            CHECK(l.state() == lease_state::held);
            CHECK(notified == 0);
            a.node(3).execute({"DEL", "r"});
            co_await a.sleep(3s);
            CHECK_FALSE(l.valid());
            CHECK(notified == 1);
            CHECK(why == loss::key_missing);
            l = {};
            co_await a.sleep(1s);
            CHECK(a.keys("r") == 2);
        });
    }
}

TEST_CASE("an extension covers the servers that granted before it, not those that grant later", "[red_lock]")
{
    known_nodes a;
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.meet(all);
        a.slow_down(3);
        a.slow_down(4);
        auto l = co_await red_lock(all, "r", for_slow_nodes).acquire({.lease = 1s});
        co_await l.extend(3s);  // of the three early grants
        co_await a.sleep(2s);
        CHECK(l.valid());
        co_await l.extend(3s);
        a.node(0).execute({"DEL", "r"});
        error_code ec;
        co_await l.extend(3s, redirect(ec));
        CHECK(ec == errc::lease_lost);  // the late grants had their first end
        CHECK_FALSE(l.valid());
    });
    a.run([&]() -> awaitable<void> {
        auto l = co_await red_lock(all, "s", for_slow_nodes).acquire({.lease = 1s});
        co_await a.sleep(2 * slow_trip);
        co_await l.extend(3s);
        for (unsigned i : {0u, 1u})
            a.node(i).execute({"DEL", "s"});
        co_await a.sleep(2s);
        co_await l.extend(3s);
        co_await a.sleep(2s);
        CHECK(l.valid());
    });
}

TEST_CASE("late grants do not revive a red_lock lease that is already lost", "[red_lock][loss]")
{
    among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
        a.slow_down(3);
        a.slow_down(4);
        auto l = co_await red_lock(all, "r", for_slow_nodes).acquire();
        int notified = 0;
        l.lost([&](error_code ec, loss) { notified += !ec; });
        const_cast<client*>(all[0])->stop();
        co_await a.sleep(1ms);
        CHECK(notified == 1);
        CHECK_FALSE(l.valid());
        co_await a.sleep(100ms);
        CHECK_FALSE(l.valid());
        CHECK_FALSE(a.exists("r", "n3"));
        CHECK_FALSE(a.exists("r", "n4"));
        CHECK(notified == 1);
    });
}

TEST_CASE("a red_lock lease that ends before late grants arrive leaves nothing on any server", "[red_lock]")
{
    for (auto const& options : {for_slow_nodes, for_slow_nodes_fenced})
        for (auto const held : {0ms, 5ms, 9ms, 11ms, 15ms, 25ms})
            for (bool const dropped : {false, true}) {
                among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
                    a.slow_down(1);
                    a.slow_down(4);
                    auto l = co_await red_lock(all, "r", options).acquire();
                    co_await a.sleep(held);
                    CHECK(l.valid());
                    if (!dropped)
                        co_await l.release();
                    l = {};
                    co_await a.sleep(100ms);
                    CHECK(a.keys("r") == 0);
                    for (auto const* c : all)
                        CHECK(a.census(const_cast<client&>(*c)) == engine::client_engine::census{});
                });
            }
}

TEST_CASE("a restarted server does not count, whether its grant arrives early or late", "[red_lock]")
{
    among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
        co_await a.sleep(6s);  // max_lease is the lease of the clients: 3 s
        red_lock lock(all, "r", {.node_timeout = 50ms});
        a.node(4).restart(true);
        co_await a.sleep(500ms);
        a.slow_down(4);
        auto l = co_await lock.acquire();
        co_await a.sleep(200ms);
        CHECK(a.keys("r") == 4);
        co_await l.release();

        a.node(4).network.delay = {0ms, 0ms};  // the first to reply
        a.node(0).pause();
        a.node(1).pause();
        auto const start = a.now();
        error_code ec;
        l = co_await lock.try_acquire(redirect(ec));
        CHECK(ec == errc::no_quorum);
        CHECK(a.now() - start >= 50ms);  // the silent servers might have granted
        a.node(0).resume();
        a.node(1).resume();
        co_await a.sleep(1s);
        CHECK(a.keys("r") == 0);
    });
}

TEST_CASE("a server that reconnects during the round joins the lease when it has reported its age", "[red_lock]")
{
    among_known([](known_nodes& a, client_list const& all) -> awaitable<void> {
        co_await a.sleep(6s);  // max_lease is the lease of the clients: 3 s
        a.node(4).model().disconnect_all();
        co_await a.sleep(5ms);  // the client has noticed
        a.slow_down(4);
        auto const begin = a.now();
        auto reported = core::instant::max();
        a.node(4).check([&](executed const& e) {
            if (e.what.args[0] == "INFO")
                reported = a.now();
        });
        lease l;
        auto const time = co_await took(a, red_lock(all, "r", {.node_timeout = 200ms}), l);
        CHECK(time == round_trip);
        CHECK(reported == core::instant::max());
        co_await a.sleep(200ms);
        CHECK(reported - begin < 150ms);
        CHECK(a.keys("r") == 5);
    });
}

// ---- cancellations, and clients that end

// Cancels an acquire after that many handlers have run. Returns false if the acquire ended before.
bool cancel_with_late_servers(std::uint64_t handlers, red_options const& options, core::duration late)
{
    known_nodes a;
    auto const all = a.clients();
    a.run([&]() -> awaitable<void> {
        co_await a.meet(all);
        a.slow_down(0, late);
        a.slow_down(2, late);
    });
    cancellable_acquire attempt;
    red_lock(all, "r", options).acquire(attempt.handler());
    auto const begin = a.world().steps();
    a.world().run_until([&] { return attempt.done || a.world().steps() - begin >= handlers; });
    a.run([&]() -> awaitable<void> {
        if (!attempt.done)
            attempt.cancel(asio::cancellation_type::total);
        co_await a.sleep(0ms);
        REQUIRE(attempt.done);
        CHECK(attempt.got.valid() == !attempt.ec);
        CHECK(attempt.is_plausible());
        attempt.got = {};
        co_await a.sleep(200ms);
        CHECK(a.keys("r") == 0);
        for (auto const* c : all)
            CHECK(a.census(const_cast<client&>(*c)) == engine::client_engine::census{});
    });
    return attempt.was_cancelled;
}

TEST_CASE(
    "a red_lock acquire cancelled after any handler leaves nothing, also on late servers", "[red_lock][cancellation]")
{
    for (auto const& options : {for_slow_nodes, for_slow_nodes_fenced})
        for (auto const late : {round_trip + 1ms, slow_trip}) {
            std::uint64_t points = 0;
            while (cancel_with_late_servers(points, options, late)) {
                CAPTURE(points);
                REQUIRE(++points < 600);
            }
            CHECK(points > 5);
        }
}

TEST_CASE(
    "a red_lock acquire completes once when clients are destroyed while some servers are late", "[red_lock][lifetimes]")
{
    for (auto const& options : {for_slow_nodes, for_slow_nodes_fenced})
        for (unsigned first = 0; first < 5; first += 2)
            for (unsigned destroyed = 1; destroyed <= 5; destroyed += 2)
                for (int ms = 0; ms < 24; ++ms)
                    for (bool const keeps : {false, true}) {
                        among_known([&](known_nodes& a, client_list const& all) -> awaitable<void> {
                            a.slow_down(1);
                            a.slow_down(2);
                            int ends = 0;
                            lease got;
                            red_lock(all, "r", options).acquire([&](error_code, lease l) {
                                ++ends;
                                if (keeps)
                                    got = std::move(l);
                            });
                            co_await a.sleep(std::chrono::milliseconds(ms));
                            for (unsigned i = 0; i < destroyed; ++i)
                                a.destroy(*all[(first + i) % 5]);
                            co_await a.sleep(10s);
                            CAPTURE(first, destroyed, ms, keeps);
                            CHECK(ends == 1);
                            got = {};
                            co_await a.sleep(1s);
                            CHECK(a.keys("r") == 0);
                        });
                    }
}

}  // namespace
}  // namespace holdfast::test
