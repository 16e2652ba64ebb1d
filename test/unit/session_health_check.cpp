//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Which connections a session gives up because they are silent, and which it keeps.

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "session/health_check.hpp"
#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_health_check_test {

using namespace std::chrono_literals;
using engine::outcome;
using step = health_check::step;

constexpr health_limits limits{1s, 2s};
lines const ping{"PING"};
std::string const closing = "closed: fake: the server has not replied in time";

scenario checked(purpose p = purpose::one_server)
{
    return scenario(0, {}, p, limits);
}

TEST_CASE(
    "health check: a connection may be silent for a third of the lease time, but not beyond a command", "[session]")
{
    CHECK(health_limits_of(30s, 3s).reply_limit == 3s);
    CHECK(health_limits_of(6s, 3s).reply_limit == 2s);
    CHECK(health_limits_of(30s, 60s).reply_limit == 10s);
    // A server may need a second to fork.
    CHECK(health_limits_of(600ms, 3s).reply_limit == 1s);
    CHECK(health_limits_of(30s, 1ms).reply_limit == 1s);
    CHECK(health_limits_of(30s, 3s).ping_after == 2s);
    CHECK(health_limits_of(600ms, 3s).ping_after == 100ms);
    CHECK(health_limits_of(100ms, 3s).ping_after == 100ms);
}

TEST_CASE("health check: it is judged by what was read since the last time", "[session]")
{
    health_check h(limits);
    h.on_sent(start);
    CHECK(h.judge(start, core::never).next == start + 1s);
    CHECK(h.judge(start + 1s, core::never).step == step::ping);
    // The oldest reply is awaited for longer than the limit, but the server replies all the time.
    h.on_read();
    CHECK(h.judge(start + 5s, start + 1s).step == step::wait);
    CHECK(h.judge(start + 7s - 1ns, start + 1s).step == step::wait);
    CHECK(h.judge(start + 7s, start + 1s).step == step::close);
}

TEST_CASE("health check: an idle session sends PING, and stays open while it is answered", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    for (int i = 0; i < 100; ++i) {
        s.advance(1s);
        CHECK(s.server().take() == ping);
        s.advance(500ms);
        s.server().reply("PONG");
    }
    CHECK(s.events == lines{"open"});
}

TEST_CASE("health check: a session with commands sends no PING", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    for (int i = 0; i < 20; ++i) {
        probe get;
        s.submit(get, {"GET", "k"});
        s.turn();
        s.server().reply("1");
        CHECK(s.server().take() == lines{"GET k"});
        s.advance(900ms);
        CHECK(s.server().take().empty());
    }
}

TEST_CASE("health check: a connection that was lost in silence is closed within both limits", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    s.advance(3s - 1ns);
    CHECK(s.events == lines{"open"});
    s.advance(1ns);
    CHECK(s.events == lines{"open", closing});
    CHECK(s.server().is_closed);
    s.advance(1s);
    s.greet(8, "b");
    CHECK(s->is_open());
}

TEST_CASE(
    "health check: a command without a reply is judged as a PING, also after it has ended as unknown", "[session]")
{
    scenario s(0, {}, purpose::one_server, {1s, 4s});
    s.greet(7, "a");
    probe get;
    s.submit(get, {"GET", "k"});
    s.turn();
    s.advance(4s - 1ns);
    CHECK(get.answers == 1);
    CHECK(s.events == lines{"open"});
    s.advance(1ns);
    CHECK(s.events == lines{"open", closing});
    CHECK(s.server().take() == lines{"GET k"});
}

TEST_CASE("health check: stalls that are shorter than the limit close no connection", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    for (int i = 0; i < 9; ++i) {
        while (s.server().sent.empty())
            s.advance(1ms);
        s.advance(1900ms);
        s.server().take();
        s.server().reply("PONG");
    }
    CHECK(s.events == lines{"open"});
}

TEST_CASE("health check: replies, errors and messages show that the connection lives", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    probe first, second;
    s.submit(first, {"GET", "a"});
    s.submit(second, {"GET", "b"});
    s.turn();
    s.advance(1s);
    s.server().events.lock()->on_message("news");
    s.advance(2s);
    CHECK(s->is_open());
    s.server().error("ERR no");
    s.advance(2s);
    CHECK(s->is_open());
    s.server().reply("late");
    CHECK(s->is_open());
}

TEST_CASE("health check: an error is an answer to a PING, and concerns no subscription", "[session]")
{
    for (auto const* const words : {"BUSY Redis is busy running a script.", "NOPERM no permission for 'ping'"}) {
        CAPTURE(words);
        auto s = checked();
        s.greet(7, "a");
        for (int i = 0; i < 9; ++i) {
            s.advance(1s);
            CHECK(s.server().take() == ping);
            s.server().error(words);
        }
        CHECK(s.events == lines{"open"});
        CHECK(s->notifies());
    }
}

TEST_CASE("health check: a subscription that waits for its turn's end keeps its guard before a PING", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    s->subscribe("x");
    s.turn();
    CHECK(s.server().take() == lines{"SUBSCRIBE x", "PING"});
    s.server().reply("PONG");
    s.advance(1s);
    CHECK(s.server().take() == ping);
    s.server().reply("PONG");
    CHECK(s->is_open());
}

TEST_CASE("health check: a process that was stopped reads its sockets before it judges", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    s.advance(1s);
    s.stop_process_for(1h);
    CHECK(s->is_open());
    s.server().reply("PONG");
    s.advance(60ms);
    CHECK(s.events == lines{"open"});
    CHECK(s.server().take().front() == "PING");

    s.server().reply("PONG");
    s.advance(1s);
    s.stop_process_for(1h);
    s.advance(60ms);
    CHECK(s.events == lines{"open", closing});
}

TEST_CASE("health check: a process that was stopped between two replies judges no command early", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    probe first, second;
    s.submit(first, {"GET", "a"});
    s.turn();
    s.stop_process_for(1h);
    CHECK(first.answers == 0);
    s.server().reply("1");
    CHECK(first.outcome == outcome::applied);

    s.submit(second, {"GET", "b"});
    s.turn();
    s.stop_process_for(1h);
    s.advance(60ms);
    CHECK(second.answers == 1);
    CHECK(second.outcome == outcome::unknown);
}

TEST_CASE("health check: a process that was stopped during the greeting reads the replies first", "[session]")
{
    auto s = checked();
    s.stop_process_for(1h);
    CHECK(s.events.empty());
    s.greet(7, "a");
    s.advance(60ms);
    CHECK(s.events == lines{"open"});
}

TEST_CASE("health check: without limits no PING is sent, and no connection is closed", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s.advance(1h);
    CHECK(s.server().take().empty());
    CHECK(s.events == lines{"open"});
}

TEST_CASE("health check: it ends with the session, and with a dropped connection", "[session]")
{
    auto s = checked();
    s.greet(7, "a");
    auto& first = s.server();
    s->drop("test");
    s.turn();
    s.advance(1s);
    s.greet(8, "b");
    s.advance(1s);
    CHECK(first.take().empty());
    CHECK(s.server().take() == ping);
    s->stop();
    s.advance(1h);
    CHECK(s.events.size() == 3);
}

}  // namespace session_health_check_test
}  // namespace holdfast::session
