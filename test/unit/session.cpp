//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every line of the table in session/session.hpp, without a server and without a clock.

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_test {

using namespace std::chrono_literals;
using engine::outcome;

TEST_CASE("session: it sends HELLO and INFO, and is open after their replies", "[session]")
{
    scenario s;
    CHECK(s.server().take() == lines{"HELLO 3 SETNAME me", "INFO"});
    s.server().hello(7);
    CHECK_FALSE(s->is_open());
    s.server().info("a");
    CHECK(s->is_open());
    CHECK(s->server().run_id == "a");
    CHECK(s.events == lines{"open"});
    CHECK(s.logged == lines{"connected to fake as client 7"});
}

TEST_CASE("session: it sends SELECT before INFO if a database is configured", "[session]")
{
    scenario s(5);
    CHECK(s.server().take() == lines{"HELLO 3 SETNAME me", "SELECT 5", "INFO"});
}

TEST_CASE("session: a server that may evict locks is reported once, as long as its policy stays", "[session]")
{
    scenario s;
    std::int64_t number = 7;
    auto const connect_with = [&](std::string const& memory) {
        s.server().hello(++number);
        s.server().reply("# Server\r\nrun_id:" + std::to_string(number) + "\r\n# Memory\r\n" + memory);
        CHECK(s->is_open());
        auto const warnings = std::ranges::count_if(
            s.logged, [](auto const& line) { return line.find("evicts locks") != line.npos; });
        s.logged.clear();
        s.advance(2s);
        s.server().end();
        s.advance(2s);
        return warnings;
    };
    CHECK(connect_with("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n") == 0);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:noeviction\r\n") == 0);
    CHECK(connect_with("maxmemory_policy:allkeys-lru\r\n") == 0);
    CHECK(connect_with("maxmemory:100\r\n") == 0);
    CHECK(connect_with("") == 0);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:volatile-lru\r\n") == 1);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:volatile-lru\r\n") == 0);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:allkeys-lfu\r\n") == 1);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:noeviction\r\n") == 0);
    CHECK(connect_with("maxmemory:100\r\nmaxmemory_policy:allkeys-lfu\r\n") == 1);
}

TEST_CASE("session: the second epoch opens after the barrier's CLIENT KILL is answered", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s.server().end();
    CHECK(s.events.back() == "closed: fake: End of file");
    s.advance(5s);
    s.server().hello(8);
    s.server().take();
    s.server().info("a");
    CHECK_FALSE(s->is_open());
    CHECK(s.server().take() == lines{"CLIENT KILL ID 7"});
    s.server().reply("0");
    CHECK(s->is_open());
}

TEST_CASE("session: a connection to a busy server is closed, and the next one sends the barrier", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s.server().end();
    s.advance(5s);
    s.server().hello(8);
    s.server().error("BUSY Redis is busy running a script.");
    CHECK_FALSE(s->is_open());
    CHECK(s.server().is_closed);
    s.advance(5s);
    s.server().hello(9);
    s.server().take();
    s.server().info("a");
    CHECK(s.server().take() == lines{"CLIENT KILL ID 7"});
}

TEST_CASE("session: a connection whose greeting takes too long is closed and replaced", "[session]")
{
    scenario s;
    s.advance(9s);
    CHECK(s.world.connections.size() == 1);
    CHECK(s.events.empty());
    s.advance(2s);
    CHECK(s.world.connections.size() == 2);
    CHECK(s.events == lines{"closed: fake: the connection could not be opened in time"});
    CHECK(s.world.connections.front()->is_closed);
}

TEST_CASE("session: pauses between connections double until an epoch has lasted for a second", "[session]")
{
    scenario s;
    auto const pause = [&] {
        auto const before = s.world.connections.size();
        auto const began = s.world.now;
        s.server().end();
        while (s.world.connections.size() == before)
            s.advance(1ms);
        return s.world.now - began;
    };
    CHECK(pause() == 25ms);
    CHECK(pause() == 50ms);
    CHECK(pause() == 100ms);
    s.greet(7, "a");
    CHECK(pause() == 200ms);
    s.greet(8, "b");
    s.advance(1s);
    CHECK(pause() == 25ms);
}

TEST_CASE("session: a wrong password is reported as a permanent error, and logged once", "[session]")
{
    scenario s;
    for (int i = 0; i < 3; ++i) {
        s.server().error("WRONGPASS invalid username-password pair");
        CHECK(s.last.permanent);
        CHECK(s.last.code == errc::not_permitted);
        s.advance(10s);
    }
    CHECK(s.events.size() == 3);
    CHECK(s.logged == lines{"no connection to fake: WRONGPASS invalid username-password pair; the client tries again"});
}

TEST_CASE("session: the commands of one turn are sent at its end, in order", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe get, set;
    s.submit(get, {"GET", "k"});
    s->subscribe("x");
    s->subscribe("y");
    s->unsubscribe("z");
    s.submit(set, {"SET", "k", "v"});
    CHECK(s.server().sent.empty());
    s.turn();
    CHECK(s.server().take() == lines{"GET k", "SUBSCRIBE x y", "PING", "UNSUBSCRIBE z", "PING", "SET k v"});
    s.server().reply("1");
    s.server().reply("PONG");
    s.server().reply("PONG");
    s.server().error("OOM command not allowed");
    CHECK(get.words == "1");
    CHECK(set.outcome == outcome::refused);
    CHECK(set.words == "OOM command not allowed");
}

TEST_CASE(
    "session: an error in place of a guard's PONG closes the connection, and commands end as unknown", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe set;
    s->subscribe("x");
    s.submit(set, {"SET", "k", "v", "NX"});
    s.turn();
    s.server().error("NOPERM no channel");
    CHECK(set.outcome == outcome::unknown);
    CHECK(set.answers == 1);
    CHECK(s.server().is_closed);
    s.advance(5s);
    s.greet(8, "b");
    CHECK_FALSE(s->notifies());
}

TEST_CASE("session: a subscription that a busy server refuses does not lead to polling", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s->subscribe("x");
    s.turn();
    s.server().error("BUSY Redis is busy running a script.");
    s.advance(5s);
    s.greet(8, "b");
    CHECK(s->notifies());
}

TEST_CASE("session: a command without a reply in time ends as unknown, and its late reply is dropped", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe first, second;
    s.submit(first, {"GET", "a"});
    s.turn();
    s.advance(2s);
    s.submit(second, {"GET", "b"});
    s.turn();
    s.advance(1s);
    CHECK(first.answers == 1);
    CHECK(first.outcome == outcome::unknown);
    CHECK(second.answers == 0);
    s.server().reply("late");
    s.server().reply("yours");
    CHECK(first.answers == 1);
    CHECK(second.words == "yours");
}

TEST_CASE("session: each command without a reply has a deadline of its own", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe first, second;
    s.submit(first, {"GET", "a"});
    s.turn();
    s.advance(2s);
    s.submit(second, {"GET", "b"});
    s.turn();
    s.advance(2s);
    CHECK(first.answers == 1);
    CHECK(second.answers == 0);
    s.advance(1s);
    CHECK(second.answers == 1);
}

TEST_CASE("session: a reply on a dropped connection is ignored, and its command ends as unknown", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe get;
    s.submit(get, {"GET", "k"});
    s.turn();
    s->drop("renewals were not answered");
    CHECK_FALSE(s->is_open());
    s.server().reply("1");
    CHECK(get.answers == 0);
    s.turn();
    CHECK(get.outcome == outcome::unknown);
    CHECK(s.events.back() == "closed: fake: renewals were not answered");
}

TEST_CASE("session: a command submitted to a dropped connection ends as unknown and is not sent", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s->drop("no");
    probe get;
    s.submit(get, {"GET", "k"});
    s.turn();
    CHECK(get.answers == 1);
    CHECK(get.outcome == outcome::unknown);
    CHECK(s.server().sent.empty());
}

TEST_CASE("session: a command submitted while no epoch is open takes no reply of the next connection", "[session]")
{
    scenario s;
    probe while_greeting, while_pausing, get;
    s.submit(while_greeting, {"GET", "a"});
    s.greet(7, "a");
    s.server().end();
    s.submit(while_pausing, {"GET", "b"});
    s.turn();
    CHECK(while_greeting.outcome == outcome::unknown);
    CHECK(while_greeting.answers == 1);
    CHECK(while_pausing.answers == 1);
    s.advance(5s);
    s.greet(8, "b");
    s.submit(get, {"GET", "c"});
    s.turn();
    CHECK(s.server().take() == lines{"GET c"});
    s.server().reply("yours");
    CHECK(get.words == "yours");
    CHECK(while_pausing.answers == 1);
}

TEST_CASE("session: READONLY refuses the command and closes the connection", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe set;
    s.submit(set, {"SET", "k", "v"});
    s.turn();
    s.server().error("READONLY You can't write against a read only replica.");
    CHECK(set.outcome == outcome::refused);
    CHECK(s.last.code == errc::server_refused);
    CHECK_FALSE(s->is_open());
    CHECK(s.world.read_only == 1);
}

TEST_CASE(
    "session: READONLY behind the ERR of a proxy tells the connector of a replica, other errors do not", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe first, second;
    s.submit(first, {"SET", "k", "v"});
    s.submit(second, {"SET", "k", "v"});
    s.turn();
    s.server().error("OOM command not allowed when used memory > 'maxmemory'.");
    CHECK(s.world.read_only == 0);
    s.server().error("ERR READONLY You can't write against a read only replica.");
    CHECK(s.world.read_only == 1);
    CHECK_FALSE(s->is_open());
}

// A replica accepts the connection, and refuses the first write on each: only the first end is logged.
TEST_CASE("session: connections that each end within a second for one reason are logged once", "[session]")
{
    scenario s;
    auto const refuse_a_write = [&] {
        probe set;
        s.submit(set, {"SET", "k", "v"});
        s.turn();
        s.server().error("READONLY You can't write against a read only replica.");
    };
    for (auto const* const run : {"a", "b", "c"}) {
        s.greet(7, run);
        refuse_a_write();
        s.advance(5s);
    }
    REQUIRE(s.logged.size() == 2);
    CHECK(s.logged.at(0).starts_with("connected to fake"));
    CHECK(s.logged.at(1).starts_with("no connection to fake: READONLY"));

    s.greet(8, "d");
    s.advance(999ms);
    CHECK(s.logged.size() == 2);
    s.advance(1ms);
    REQUIRE(s.logged.size() == 3);
    CHECK(s.logged.at(2).starts_with("connected to fake"));
}

TEST_CASE("session: only a server in cluster mode is asked for its slots, and MOVED ends the connection", "[session]")
{
    using engine::reply;
    scenario s;
    std::vector<reply> const hello{text("mode"), text("cluster"), text("id"), {reply::kind::integer, 7, {}, {}}};
    s.server().events.lock()->on_reply({.type = reply::kind::array, .items = hello});
    s.server().take();
    s.server().info("a");
    CHECK(s.server().take() == lines{"CLUSTER SLOTS"});
    std::vector<reply> const node{text("h"), {reply::kind::integer, 6379, {}, {}}, text("id")};
    std::vector<reply> const range{
        {reply::kind::integer, 0, {}, {}}, {reply::kind::integer, 16383, {}, {}}, {reply::kind::array, 0, {}, node}};
    std::vector<reply> const ranges{{reply::kind::array, 0, {}, range}};
    s.server().events.lock()->on_reply({.type = reply::kind::array, .items = ranges});
    CHECK(s->is_open());

    probe set, eval;
    s.submit(eval, {"EVALSHA", "..."});
    s.submit(set, {"SET", "k", "v"});
    s.turn();
    s.server().error("ERR Script attempted to access a non local key in a cluster node script: x");
    CHECK(eval.outcome == outcome::unknown);
    CHECK(s->is_open());
    s.server().error("MOVED 5 h:6380");
    CHECK(set.outcome == outcome::refused);
    CHECK_FALSE(s->is_open());
}

TEST_CASE("session: MOVED and ASK without a host name the host of the connection", "[session][cluster]")
{
    scenario s(0, {}, purpose::member);
    s.server().hello_of_member(1, "7.0.15");
    s.server().info("run");
    probe moved, ask, unknown;
    s.submit(moved, {"SET", "k", "v"});
    s.submit(ask, {"SET", "k", "v"});
    s.submit(unknown, {"SET", "k", "v"});
    s.turn();
    s.server().error("MOVED 5 :6380");
    s.server().error("ASK 5 :6381");
    s.server().error("MOVED 5 ?:6382");
    CHECK(s.redirects == lines{"fake-host:6380"});
    CHECK(moved.words == "MOVED 5 fake-host:6380");
    CHECK(ask.words == "ASK 5 fake-host:6381");
    CHECK(unknown.words == "MOVED 5 ?:6382");
    CHECK(s->is_open());
}

TEST_CASE("session: a doubt about a primary of a cluster is reported in a turn of its own", "[session][cluster]")
{
    scenario s(0, {}, purpose::member);
    s->doubt();
    s.turn();
    CHECK(s.doubts == 0);
    s.server().hello_of_member(1, "7.2.0");
    s.server().info("run-1");
    REQUIRE(s->is_open());
    s->doubt();
    CHECK(s.doubts == 0);
    s.turn();
    CHECK(s.doubts == 1);

    scenario only;
    only.greet(1, "run-1");
    only->doubt();
    only.turn();
    CHECK(only.doubts == 0);
}

TEST_CASE("session: a reply without a command and a nested array close the connection", "[session]")
{
    scenario to_nothing;
    to_nothing.greet(7, "a");
    to_nothing.server().reply("1");
    CHECK(to_nothing.last.code == errc::protocol);

    scenario nested;
    nested.greet(7, "a");
    probe eval;
    nested.submit(eval, {"EVAL", "..."});
    nested.turn();
    std::vector<engine::reply> const items{{.type = engine::reply::kind::array}};
    nested.server().events.lock()->on_reply({.type = engine::reply::kind::array, .items = items});
    CHECK(eval.outcome == outcome::unknown);
    CHECK(nested.last.code == errc::protocol);
}

TEST_CASE("session: messages are delivered only while it is open", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s.server().events.lock()->on_message("x");
    s->drop("no");
    s.server().events.lock()->on_message("y");
    CHECK(s.events == lines{"open", "message: x"});
}

TEST_CASE("session: several requests to wake up lead to one alarm", "[session]")
{
    scenario s;
    s.greet(7, "a");
    s.time().wake_at(start + 3s);
    s.time().wake_at(start + 2s);
    s.time().wake_at(start + 4s);
    s.advance(1s);
    CHECK(s.events == lines{"open"});
    s.advance(5s);
    CHECK(s.events == lines{"open", "alarm"});
}

TEST_CASE("session: no event follows stop()", "[session]")
{
    scenario s;
    s.greet(7, "a");
    probe get;
    s.submit(get, {"GET", "k"});
    s.turn();
    s.time().wake_at(start + 1s);
    s->stop();
    s.time().stop();
    CHECK(s.server().is_closed);
    s.advance(100s);
    CHECK(get.answers == 0);
    CHECK(s.events == lines{"open"});
    CHECK(s.world.connections.size() == 1);
}

}  // namespace session_test
}  // namespace holdfast::session
