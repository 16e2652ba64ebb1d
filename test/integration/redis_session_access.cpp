//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "support/kill_count.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using engine::outcome;
using engine::refusal;

namespace {

// The server's URL for another user.
std::string url_for(redis_server const& server, std::string const& credentials)
{
    return "redis://" + credentials + "@127.0.0.1:" + std::to_string(server.port());
}

}  // namespace

TEST_CASE("session access: it authenticates with a user and a password, or with a password alone", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "me", "on", ">p@ss", "+@all", "~*", "&*"});
    session_probe probe(url_for(server, "me:p%40ss"));
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"ACL", "WHOAMI"}).text == "me");
    CHECK_FALSE(probe.has_logged("p@ss"));

    server.command({"CONFIG", "SET", "requirepass", "secret"});
    session_probe other(url_for(server, ":secret"));
    REQUIRE(other.start_and_open());
    CHECK(other.execute({"ACL", "WHOAMI"}).text == "default");
}

TEST_CASE("session access: a wrong password is a permanent error, and leads to few connections", "[redis]")
{
    redis_server server{"requirepass secret"};
    server.command({"AUTH", "secret"});
    auto const connections = [&] { return std::stol(server.info("total_connections_received")); };
    auto const before = connections();
    session_probe probe(url_for(server, ":hunter2"));
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).code == errc::not_permitted);
    CHECK(probe.closed.at(0).words.find(": WRONGPASS ") != std::string::npos);
    probe.run_for(1500ms);
    CHECK(connections() - before <= 3);
    CHECK_FALSE(probe.has_logged("hunter2"));

    // The password is corrected.
    server.command({"CONFIG", "SET", "requirepass", "hunter2"});
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
}

TEST_CASE("session access: a missing password is a permanent error", "[redis]")
{
    redis_server server{"requirepass secret"};
    session_probe probe(server.tcp_url());
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).code == errc::not_permitted);
    CHECK(probe.closed.at(0).words.find(": NOAUTH ") != std::string::npos);
}

TEST_CASE("session access: a database that does not exist is a permanent error", "[redis]")
{
    redis_server server;
    session_probe probe(server.tcp_url() + "/99");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).words.ends_with(": ERR DB index is out of range"));
}

TEST_CASE("session access: it connects and reconnects without rights to CLIENT and INFO", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "poor", "on", ">pw", "~*", "&*", "-@all", "+set", "+ping"});
    session_probe probe(url_for(server, "poor:pw"));
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    auto const& get = probe.execute({"GET", "k"});
    CHECK(get.outcome == outcome::refused);
    CHECK(get.why == refusal::not_permitted);
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
}

TEST_CASE("session access: it reconnects with the right to INFO but not to CLIENT KILL", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "poor", "on", ">pw", "~*", "&*", "-@all", "+ping", "+info"});
    session_probe probe(url_for(server, "poor:pw"));
    REQUIRE(probe.start_and_open());
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"PING"}).text == "PONG");
}

TEST_CASE("session access: a script that calls a denied command is refused as not_permitted", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "poor", "on", ">pw", "~*", "&*", "-@all", "+eval", "+ping"});
    session_probe probe(url_for(server, "poor:pw"));
    REQUIRE(probe.start_and_open());
    auto const& c = probe.execute({"EVAL", "return redis.call('set', KEYS[1], 1)", "1", "k"});
    CHECK(c.outcome == outcome::refused);
    CHECK(c.why == refusal::not_permitted);
}

TEST_CASE("session access: a refused subscription closes the connection once, and no reply is mixed up", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all"});
    session_probe probe(url_for(server, "deaf:pw"));
    REQUIRE(probe.start_and_open());
    CHECK(probe.session().notifies());

    std::vector<sent_command*> sent;
    auto const echo = [&](int from, int to) {
        for (int i = from; i < to; ++i)
            sent.push_back(&probe.send({"ECHO", std::to_string(i)}));
    };
    echo(0, 100);
    probe.session().subscribe("ch");
    echo(100, 200);
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));

    for (std::size_t i = 0; i < sent.size(); ++i) {
        CAPTURE(i);
        CHECK(sent[i]->times == 1);
        CHECK(sent[i]->outcome == (i < 100 ? outcome::applied : outcome::unknown));
        CHECK(sent[i]->text == (i < 100 ? std::to_string(i) : ""));
    }
    CHECK_FALSE(probe.session().notifies());
    CHECK(probe.closed.size() == 1);
    CHECK(probe.closed.at(0).words.find(": NOPERM ") != std::string::npos);
    CHECK_FALSE(probe.closed.at(0).permanent);

    auto const warnings = std::count_if(
        probe.lines.begin(), probe.lines.end(), [](auto const& l) { return l.first == log_level::warning; });
    CHECK(warnings == 1);
    CHECK(probe.count_of_lines("waiters poll") == 1);

    // The session does not send SUBSCRIBE again.
    probe.session().subscribe("ch");
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK(probe.opened == 2);
}

TEST_CASE("session access: a client that is granted its channels later subscribes again in a later epoch", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all"});
    session_probe probe(url_for(server, "deaf:pw"));
    REQUIRE(probe.start_and_open());
    probe.session().subscribe("ch");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    REQUIRE_FALSE(probe.session().notifies());

    server.command({"ACL", "SETUSER", "deaf", "allchannels"});
    server.command({"CLIENT", "KILL", "USER", "deaf"});
    REQUIRE(probe.run_until([&] { return probe.opened == 3; }));
    REQUIRE(probe.session().notifies());
    probe.session().subscribe("ch");
    CHECK(probe.execute({"PUBLISH", "ch", "x"}).integer == 1);
    CHECK(probe.session().notifies());
    CHECK(probe.count_of_lines("waiters poll") == 1);
    CHECK(probe.run_until([&] { return probe.count_of_lines("permits SUBSCRIBE again") == 1; }));
    CHECK(probe.opened == 3);
}

TEST_CASE("session access: after BUSY in reply to SUBSCRIBE the next epoch subscribes again", "[redis]")
{
    redis_server server{"lua-time-limit 1"};
    session_probe probe(server.url());
    session_probe hog(server.url());
    REQUIRE(probe.start_and_open());
    REQUIRE(hog.start_and_open());
    hog.send({"EVAL", "while true do end", "0"});
    hog.run_for(100ms);

    auto& before = probe.send({"ECHO", "before"});
    probe.session().subscribe("ch");
    auto& after = probe.send({"ECHO", "after"});
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(before.outcome == outcome::refused);
    CHECK(before.why == refusal::not_now);
    CHECK(after.outcome == outcome::unknown);
    CHECK(probe.closed.at(0).words.find(": BUSY ") != std::string::npos);
    CHECK(probe.session().notifies());

    server.command({"SCRIPT", "KILL"});
    REQUIRE(probe.run_until([&] { return probe.opened >= 2; }));
    CHECK(probe.session().notifies());
    probe.session().subscribe("ch");
    CHECK(probe.execute({"PUBLISH", "ch", "x"}).integer == 1);
}

TEST_CASE("session access: no epoch opens while the server is too busy to kill the previous connection", "[redis]")
{
    redis_server server{"lua-time-limit 1", logs_commands};
    session_probe probe(server.url());
    session_probe hog(server.url());
    REQUIRE(probe.start_and_open());
    REQUIRE(hog.start_and_open());
    hog.send({"EVAL", "while true do end", "0"});
    hog.run_for(100ms);

    probe.session().drop("a test");
    REQUIRE(probe.run_until([&] { return probe.closed.size() >= 2 || probe.opened >= 2; }));
    CHECK(probe.opened == 1);
    REQUIRE(probe.closed.size() >= 2);
    CHECK(probe.closed.at(1).words.find(": BUSY ") != std::string::npos);
    CHECK_FALSE(probe.closed.at(1).permanent);

    server.command({"SCRIPT", "KILL"});
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(kill_count(server) == 1);
}

TEST_CASE("session access: the deletion of the client's user is a permanent error", "[redis]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "deleted", "on", ">pw", "~*", "&*", "+@all"});
    session_probe probe(url_for(server, "deleted:pw"));
    REQUIRE(probe.start_and_open());
    server.command({"ACL", "DELUSER", "deleted"});
    REQUIRE(probe.run_until([&] { return probe.closed.size() >= 2; }));
    CHECK(probe.closed.back().permanent);
}
