//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

enum class phase { fresh, starting, connecting, greeting, idle, submitted, under_way, timing_out, dropped, pausing };

// Brings a session into a phase of its life. The server is frozen if the session stays in the phase only then.
void bring_to(phase p, session_probe& probe, redis_server& server)
{
    if (p == phase::fresh)
        return;
    if (p == phase::greeting || p == phase::connecting)
        server.freeze();
    if (p == phase::pausing)
        server.kill();
    probe.start();
    if (p == phase::connecting)
        probe.run_for(0ms);
    if (p == phase::greeting)
        probe.run_for(50ms);
    if (p == phase::pausing)
        REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    if (p < phase::idle || p == phase::pausing)
        return;

    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
    probe.world().wake_at(probe.world().now() + 50ms);
    if (p == phase::idle)
        return;
    server.freeze();
    probe.session().subscribe("ch");
    for (int i = 0; i < 10; ++i)
        probe.send({"PING"});
    if (p == phase::under_way)
        probe.run_for(20ms);
    if (p == phase::timing_out)
        probe.run_for(150ms);
    if (p == phase::dropped)
        probe.session().drop("test");
}

config impatient(std::string url)
{
    auto c = session_probe::with_url(std::move(url));
    c.command_timeout = 100ms;
    return c;
}

auto all_phases()
{
    return Catch::Generators::values(
        {phase::fresh,
         phase::starting,
         phase::connecting,
         phase::greeting,
         phase::idle,
         phase::submitted,
         phase::under_way,
         phase::timing_out,
         phase::dropped,
         phase::pausing});
}

}  // namespace

TEST_CASE("session stop: stop() may be called in every phase, and no handler is called after it", "[redis]")
{
    auto const p = GENERATE(all_phases());
    bool const over_tcp = GENERATE(false, true);
    CAPTURE(static_cast<int>(p), over_tcp);
    redis_server server;
    session_probe probe(impatient(over_tcp ? server.tcp_url() : server.url()));
    bring_to(p, probe, server);

    auto const opened = probe.opened;
    auto const closed = probe.closed.size();
    auto const alarms = probe.alarms;
    auto& unanswered = probe.send({"PING"});
    probe.stop();
    probe.stop();
    server.thaw();
    CHECK_FALSE(probe.session().is_open());
    CHECK(probe.run_to_end());
    CHECK(probe.opened == opened);
    CHECK(probe.closed.size() == closed);
    CHECK(probe.alarms == alarms);
    CHECK_FALSE(unanswered.answered);
}

TEST_CASE("session stop: the execution context may be destroyed in every phase", "[redis]")
{
    auto const p = GENERATE(all_phases());
    bool const stopped = GENERATE(false, true);
    CAPTURE(static_cast<int>(p), stopped);
    redis_server server;
    session_probe probe(impatient(server.tcp_url()));
    bring_to(p, probe, server);
    if (stopped)
        probe.stop();
    probe.destroy_context();
}

TEST_CASE("session stop: stop() may be called from on_open()", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    probe.when_open = [&] {
        probe.send({"PING"});
        probe.stop();
    };
    probe.start();
    CHECK(probe.run_to_end());
    CHECK(probe.opened == 1);
    CHECK(probe.closed.empty());
}

TEST_CASE("session stop: stop() may be called from on_turn_end(), and no command is answered after it", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto const& last = probe.send({"PING"});
    probe.session().await_turn_end();
    probe.when_turn_ends = [&] { probe.stop(); };
    CHECK(probe.run_to_end());
    CHECK_FALSE(last.answered);
}

TEST_CASE("session stop: stop() may be called from on_answer(), and no other command is answered after it", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    auto& first = probe.send({"PING"});
    auto& second = probe.send({"PING"});
    first.then = [&] { probe.stop(); };
    CHECK(probe.run_to_end());
    CHECK(first.answered);
    CHECK_FALSE(second.answered);
}

TEST_CASE("session stop: stop() may be called from the on_answer() of an unknown outcome", "[redis]")
{
    redis_server server;
    session_probe probe(impatient(server.url()));
    REQUIRE(probe.start_and_open());
    bool const by_loss = GENERATE(false, true);
    server.freeze();
    auto& first = probe.send({"PING"});
    probe.run_for(5ms);
    auto& second = probe.send({"PING"});
    first.then = [&] { probe.stop(); };
    if (by_loss)
        probe.session().drop("test");
    CHECK(probe.run_to_end());
    CHECK(first.answered);
    CHECK_FALSE(second.answered);
    CHECK(probe.closed.empty());
    server.thaw();
}

TEST_CASE("session stop: stop() may be called from on_closed()", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.when_closed = [&] { probe.stop(); };
    server.kill();
    CHECK(probe.run_to_end());
    CHECK(probe.closed.size() == 1);
}

TEST_CASE("session stop: stop() may be called from on_message(), and no message is delivered after it", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    probe.execute({"PING"});
    probe.when_message = [&] { probe.stop(); };
    server.command({"PUBLISH", "ch", "1"});
    server.command({"PUBLISH", "ch", "2"});
    CHECK(probe.run_to_end());
    CHECK(probe.messages.size() == 1);
}

TEST_CASE("session stop: drop() may be called from on_open(), on_answer() and on_closed()", "[redis]")
{
    redis_server server;
    session_probe probe(server.url());
    probe.when_open = [&] {
        probe.session().subscribe("ch");
        probe.send({"PING"}).then = [&] { probe.session().drop("from an answer"); };
        if (probe.opened == 1)
            probe.session().drop("from on_open");
    };
    probe.when_closed = [&] { probe.session().drop("from on_closed"); };
    probe.start();
    REQUIRE(probe.run_until([&] { return probe.opened == 3; }));
    probe.when_open = nullptr;
    REQUIRE(probe.closed.size() == 2);
    CHECK(probe.closed[0].words.ends_with(": from on_open"));
    CHECK(probe.closed[1].words.ends_with(": from an answer"));
}
