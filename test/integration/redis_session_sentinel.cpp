//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/credentials.hpp>
#include <holdfast/error.hpp>

#include "support/child_program.hpp"
#include "support/kill_count.hpp"
#include "support/redis_server.hpp"
#include "support/sentinel.hpp"
#include "support/session_probe.hpp"

using namespace holdfast;
using namespace holdfast::test;

namespace {

std::string name_of(redis_server& server)
{
    return "127.0.0.1:" + std::to_string(server.port());
}

}  // namespace

TEST_CASE("session sentinel: it finds the master although one sentinel is down", "[redis]")
{
    redis_server master{logs_commands};
    sentinel watch(master);
    session_probe probe(
        "redis+sentinel://127.0.0.1:" + std::to_string(free_port()) + "," + watch.host() + "/mymaster/2");
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"SET", "k", "v"}).text == "OK");
    CHECK(master.info("db2").starts_with("keys=1"));
    CHECK(probe.has_logged(name_of(master)));

    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    CHECK(probe.execute({"GET", "k"}).text == "v");
    CHECK(kill_count(master) == 1);
}

TEST_CASE("session sentinel: it authenticates to a master with a password", "[redis]")
{
    redis_server master{"requirepass secret"};
    master.command({"AUTH", "secret"});
    sentinel watch(master, {.password = "secret"});
    session_probe probe("redis+sentinel://:secret@" + watch.host() + "/mymaster");
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK_FALSE(probe.has_logged("secret"));
}

TEST_CASE("session sentinel: it authenticates to a master with the credentials of a provider", "[redis]")
{
    redis_server master{"requirepass secret"};
    master.command({"AUTH", "secret"});
    sentinel watch(master, {.password = "secret"});
    auto options = session_probe::with_url("redis+sentinel://" + watch.host() + "/mymaster");
    int questions = 0;
    options.credentials = [&](credentials_request what, credentials_handler done) {
        CHECK(what.is_refused == (questions == 1));
        done({"default", ++questions == 1 ? "hunter2" : "secret"});
    };
    session_probe probe(options);
    REQUIRE(probe.start_and_open());
    CHECK(questions == 2);
    REQUIRE(probe.closed.size() == 1);
    CHECK_FALSE(probe.closed[0].permanent);
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK_FALSE(probe.has_logged("secret"));
    CHECK_FALSE(probe.has_logged("hunter2"));
}

TEST_CASE("session sentinel: a wrong password is a permanent error", "[redis]")
{
    redis_server master{"requirepass secret"};
    sentinel watch(master, {.password = "secret"});
    session_probe probe("redis+sentinel://:hunter2@" + watch.host() + "/mymaster");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CAPTURE(probe.closed.at(0).words);
    CHECK(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).code == errc::not_permitted);
    CHECK(probe.closed.at(0).words.find(": WRONGPASS ") != std::string::npos);
    CHECK_FALSE(probe.has_logged("hunter2"));
}

TEST_CASE("session sentinel: a replica in place of the master is not used until it is a master", "[redis]")
{
    redis_server master;
    sentinel watch(master);
    master.command({"REPLICAOF", "127.0.0.1", "1"});
    session_probe probe("redis+sentinel://" + watch.host() + "/mymaster");
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).permanent);
    master.command({"REPLICAOF", "NO", "ONE"});
    REQUIRE(probe.run_until([&] { return probe.opened == 1; }));
}

TEST_CASE("session sentinel: a master's name that is not known is not a permanent error", "[redis]")
{
    redis_server master;
    sentinel watch(master);
    session_probe probe("redis+sentinel://" + watch.host() + "/another");
    probe.start();
    REQUIRE(probe.run_until([&] { return probe.closed.size() >= 2; }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK_FALSE(probe.closed.at(0).words.empty());
}

TEST_CASE("session sentinel: it authenticates to sentinels with a password of their own", "[redis]")
{
    redis_server master{"requirepass secret"};
    master.command({"AUTH", "secret"});
    sentinel watch(master, {.password = "secret", .own_password = "hunter3"});
    auto const url = "redis+sentinel://:secret@" + watch.host() + "/mymaster";
    session_probe without(url);
    without.start();
    REQUIRE(without.run_until([&] { return !without.closed.empty(); }));
    CAPTURE(without.closed.at(0).words);
    CHECK(without.closed.at(0).words.find(watch.host() + ": NOAUTH ") != std::string::npos);
    CHECK_FALSE(without.closed.at(0).permanent);

    session_probe probe(url + "?sentinel_password=hunter3");
    REQUIRE(probe.start_and_open());
    CHECK(probe.execute({"PING"}).text == "PONG");
    CHECK_FALSE(probe.has_logged("secret"));
    CHECK_FALSE(probe.has_logged("hunter3"));
}

TEST_CASE("session sentinel: hung sentinels neither delay a connection for long nor prevent it", "[redis]")
{
    redis_server master;
    sentinel first(master), second(master), third(master);
    first.freeze();
    second.freeze();
    session_probe probe(sentinel_url({first.host(), second.host(), third.host()}));
    auto const start = std::chrono::steady_clock::now();
    REQUIRE(probe.start_and_open());
    probe.session().drop("test");
    REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
    // The limits are 0.1 s for each connection; in turn, two hung sentinels would cost 10 s each time.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(8));
}
