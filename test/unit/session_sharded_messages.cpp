//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Sharded subscriptions of a session to a primary of a cluster.

#include <catch2/catch_test_macros.hpp>

#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_sharded_messages_test {

struct member : scenario {
    explicit member(std::string_view version = "7.0.15") : scenario(0, {}, purpose::member)
    {
        server().hello_of_member(1, version);
        server().info("run");
        server().take();
        events.clear();
    }

    connection_events& from_server() { return *server().events.lock(); }
    void subscribe(std::string_view channel)
    {
        (*this)->subscribe(channel);
        turn();
        server().take();
    }
};

TEST_CASE("session: a sharded subscription has no reply, and its guard follows", "[session]")
{
    member s;
    probe before, after;
    s.submit(before, {"GET", "k"});
    s->subscribe("{x}");
    s->subscribe("{y}");
    s.submit(after, {"SET", "k", "v"});
    s.turn();
    CHECK(
        s.server().take()
        == lines{
            "GET k",
            "PING",
            "CLIENT REPLY SKIP",
            "SSUBSCRIBE {x}",
            "CLIENT REPLY SKIP",
            "SSUBSCRIBE {y}",
            "PING",
            "SET k v"});
    s.server().reply("1");
    s.server().reply("PONG");
    s.from_server().on_subscribed("{x}");
    s.from_server().on_subscribed("{y}");
    s.server().reply("PONG");
    s.server().reply("OK");
    CHECK((before.words == "1" && after.words == "OK"));
    CHECK(s.events == lines{"subscribed: {x}", "subscribed: {y}"});
}

TEST_CASE("session: a primary before version 7.0 has plain subscriptions", "[session]")
{
    member s("6.2.14");
    s->subscribe("{x}");
    s.turn();
    CHECK(s.server().take() == lines{"SUBSCRIBE {x}", "PING"});
}

TEST_CASE(
    "session: a sharded subscription that the server does not confirm ends when its guard is replied to", "[session]")
{
    member s;
    (*s).subscribe("{x}");
    s.subscribe("{y}");
    s.server().reply("PONG");
    s.from_server().on_subscribed("{y}");
    CHECK(s.events == lines{"subscribed: {y}"});
    s.server().reply("PONG");
    CHECK(s.events == lines{"subscribed: {y}", "unsubscribed: {x}"});
    CHECK((s->is_open() && s->notifies()));
}

TEST_CASE("session: the end of a sharded subscription is an event only if it was not requested", "[session]")
{
    member s;
    s.subscribe("{x}");
    s.server().reply("PONG");
    s.from_server().on_subscribed("{x}");
    s.server().reply("PONG");
    s.events.clear();
    s->unsubscribe("{x}");
    s.turn();
    CHECK(s.server().take() == lines{"PING", "CLIENT REPLY SKIP", "SUNSUBSCRIBE {x}", "PING"});
    s.server().reply("PONG");
    s.from_server().on_unsubscribed("{x}");
    s.server().reply("PONG");
    CHECK(s.events.empty());
    s.from_server().on_unsubscribed("{y}");
    CHECK(s.events == lines{"unsubscribed: {y}"});
}

TEST_CASE(
    "session: without the right to CLIENT REPLY the waiters poll, and no reply goes to a wrong command", "[session]")
{
    member s;
    s.subscribe("{x}");
    probe command;
    s.submit(command, {"GET", "k"});
    s.turn();
    s.server().reply("PONG");
    s.server().error("NOPERM this user has no permissions to run the 'client|reply' command");
    CHECK(command.outcome == engine::outcome::unknown);
    CHECK((!s->is_open() && !s->notifies()));
}

TEST_CASE("session: a client that gives up subscribing polls, and says so once", "[session]")
{
    member s;
    s->give_up_subscribing("{x}");
    s->give_up_subscribing("{y}");
    CHECK((s->is_open() && !s->notifies()));
    CHECK(s.logged.back() == "the server does not permit SUBSCRIBE, so waiters poll: SSUBSCRIBE {x} was refused");
    s->subscribe("{z}");
    s.turn();
    CHECK(s.server().take().empty());
}

TEST_CASE("session: rows of a lost connection do not count on the next one", "[session]")
{
    member s;
    s.subscribe("{x}");
    s.server().end();
    s.advance(std::chrono::seconds(10));
    s.server().hello_of_member(2, "7.0.15");
    s.server().info("other run");
    s.server().take();
    s.events.clear();
    s.subscribe("{y}");
    s.server().reply("PONG");
    s.from_server().on_subscribed("{y}");
    s.server().reply("PONG");
    CHECK(s.events == lines{"subscribed: {y}"});
}

}  // namespace session_sharded_messages_test
}  // namespace holdfast::session
