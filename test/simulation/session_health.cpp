//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Connections that are silent: those that were lost are replaced, and those that were only slow are kept.

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"
#include "simulation/recorder.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using events = std::vector<std::string>;

simulation_options checked(std::uint64_t seed)
{
    return {.world = {.seed = seed}, .checks_health = true};
}

config with_lease(simulation& sim, std::chrono::milliseconds lease)
{
    auto c = sim.config();
    c.lease = lease;
    return c;
}

TEST_CASE("stalls of the server close no connection, however short the lease time is", "[simulation]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        simulation sim(checked(seed));
        recorder a(sim, with_lease(sim, 600ms));
        a.start();
        for (int i = 0; i < 9; ++i) {
            sim.world().run_for(400ms);
            sim.server().pause_for(300ms);
            sim.world().run_for(300ms);
        }
        CHECK(a.events == events{"open"});
    }
}

TEST_CASE("a process that was stopped keeps its connection, whatever it was waiting for", "[simulation]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        simulation sim(checked(seed));
        recorder a(sim, with_lease(sim, 3s));
        a.start();
        sim.world().run_for(1s);
        for (int i = 0; i < 10; ++i) {
            auto const& get = a.send({"GET", "k"});
            sim.world().run_for(sim.world().chance().between(0us, 500us));
            sim.at("A").pause();
            sim.world().run_for(sim.world().chance().between(1s, 60s));
            sim.at("A").resume();
            sim.world().run_for(sim.world().chance().between(100ms, 2s));
            CHECK(get.outcome == engine::outcome::applied);
        }
        CHECK(a.events == events{"open"});
    }
}

TEST_CASE("an idle connection that was lost in silence is replaced", "[simulation]")
{
    for (auto const lease : {600ms, 6'000ms, 30'000ms}) {
        CAPTURE(lease.count());
        simulation sim(checked(1));
        recorder a(sim, with_lease(sim, lease));
        a.start();
        sim.world().run_for(10s);
        sim.server().pause();
        auto const most = std::min<core::duration>(std::max<core::duration>(lease / 3, 1s), 3s) + 2s + 1ms;
        sim.world().run_for(most);
        CHECK(a.count("closed") == 1);
        sim.server().resume();
        sim.world().run_for(10s);
        CHECK(a.events == events{"open", "closed", "open"});
    }
}

// The process is stopped while a renewal is under way, for longer than a connection may leave renewals unanswered.
TEST_CASE("a process that was stopped renews its leases on the same connection", "[simulation][renewal]")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        arena a(checked(seed));
        auto options = arena::quick();
        options.lease = 30s;
        auto& c = a.client("A", options);
        core::instant stopped = core::never;
        a.server().check([&](executed const& e) {
            if (stopped != core::never || e.what.in_script || !e.what.args[0].starts_with("EVAL"))
                return;
            stopped = a.now();
            a.world().at(a.now(), [&] { a.at("A").pause_for(12s); });
        });
        a.run([&]() -> awaitable<void> {
            co_await c.ready();
            auto held = co_await mutex(c, "m").acquire();
            co_await a.sleep(11s);
            CHECK(stopped != core::never);
            a.commands();
            co_await a.sleep(13s);
            CHECK(std::ranges::count(a.commands(), "HELLO") == 0);
            CHECK(held.valid());
        });
    }
}

}  // namespace
}  // namespace holdfast::test
