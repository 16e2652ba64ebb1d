//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A session with a provider of credentials, without a server and without a clock.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/error.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_credentials_test {

using namespace std::chrono_literals;

lines const greeting_as_me{"HELLO 3 AUTH me pw SETNAME me", "INFO"};
std::string const wrong = "WRONGPASS invalid username-password pair or user is disabled.";

// The test acts as the provider, too.
struct provided {
    credentials_provider provider()
    {
        return [this](credentials_request what, credentials_handler done) {
            requests.push_back(what);
            handlers.push_back(std::move(done));
        };
    }

    // Answers the last question.
    void yield(std::chrono::milliseconds valid_for = std::chrono::milliseconds::max(), std::string password = "pw")
    {
        handlers.back()({"me", std::move(password), valid_for});
        s.turn();
    }

    // To an open session.
    void open(std::chrono::milliseconds valid_for = std::chrono::milliseconds::max())
    {
        s.turn();
        yield(valid_for);
        s.greet(++last_connection, "a");
    }

    // Lets time pass until the next question, and returns how long it took.
    core::duration next_question()
    {
        auto const before = requests.size();
        auto const began = s.world.now;
        while (requests.size() == before && s.world.now - began < 1h)
            s.advance(1ms);
        return s.world.now - began;
    }

    std::vector<credentials_request> requests;
    std::vector<credentials_handler> handlers;
    std::int64_t last_connection = 0;
    scenario s{0, provider()};
};

TEST_CASE("session credentials: it connects when the provider has completed", "[session][credentials]")
{
    provided p;
    p.s.turn();
    REQUIRE(p.requests.size() == 1);
    CHECK_FALSE(p.requests[0].is_refused);
    CHECK(p.s.world.connections.empty());
    p.yield();
    CHECK(p.s.server().take() == greeting_as_me);
    p.s.greet(7, "a");
    CHECK(p.s->is_open());
    CHECK(p.s.events == lines{"open"});
}

TEST_CASE("session credentials: it asks for each connection", "[session][credentials]")
{
    provided p;
    p.open();
    p.s.server().end();
    CHECK(p.next_question() == 25ms);
    CHECK_FALSE(p.requests[1].is_refused);
    CHECK(p.s.world.connections.size() == 1);
    p.yield(1h, "fresh");
    CHECK(p.s.server().take().front() == "HELLO 3 AUTH me fresh SETNAME me");
}

TEST_CASE("session credentials: a failing provider is asked again after growing pauses", "[session][credentials]")
{
    provided p;
    p.s.turn();
    std::vector<core::duration> pauses;
    for (int i = 0; i < 9; ++i) {
        p.handlers.back()(boost::asio::error::host_not_found, {});
        p.s.turn();
        CHECK_FALSE(p.s.last.permanent);
        CHECK(p.s.last.code == errc::unavailable);
        pauses.push_back(p.next_question());
    }
    CHECK(std::ranges::is_sorted(pauses));
    CHECK(pauses.front() == 50ms);
    CHECK(pauses.back() == 2500ms);
    CHECK(p.s.world.connections.empty());
    CHECK(p.s.logged.size() == 1);
    CHECK(p.s.logged[0].find("the provider failed: Host not found") != std::string::npos);
}

TEST_CASE("session credentials: a question without an answer ends after 10 s", "[session][credentials]")
{
    provided p;
    p.s.advance(9s);
    CHECK(p.s.events.empty());
    p.s.advance(1s);
    CHECK(p.s.events == lines{"closed: fake: the provider did not complete within 10 s"});
    p.yield();
    CHECK(p.s.world.connections.empty());
    CHECK(p.requests.size() == 1);
    p.next_question();
    p.yield();
    CHECK(p.s.server().take() == greeting_as_me);
}

TEST_CASE(
    "session credentials: a refused password is not permanent, and the next request reports it",
    "[session][credentials]")
{
    provided p;
    p.s.turn();
    std::vector<core::duration> pauses;
    for (int i = 0; i < 8; ++i) {
        p.yield();
        p.s.server().error(wrong);
        CHECK_FALSE(p.s.last.permanent);
        CHECK(p.s.last.code == errc::unavailable);
        pauses.push_back(p.next_question());
        CHECK(p.requests.back().is_refused);
    }
    CHECK(std::ranges::is_sorted(pauses));
    CHECK(pauses.back() == 2500ms);
    CHECK(p.s.logged == lines{"no connection to fake: " + wrong + "; the client tries again"});
    p.yield();
    p.s.greet(7, "a");
    p.s.server().end();
    p.next_question();
    CHECK_FALSE(p.requests.back().is_refused);
}

TEST_CASE("session credentials: a refusal that no password can avoid is permanent", "[session][credentials]")
{
    provided p;
    p.s.turn();
    p.yield();
    p.s.server().error("NOPERM this user has no permissions to run the 'hello' command");
    CHECK(p.s.last.permanent);
}

TEST_CASE("session credentials: it sends AUTH before they end, on the same connection", "[session][credentials]")
{
    provided p;
    p.open(10s);
    CHECK(p.next_question() == 8s);
    probe get;
    p.s.submit(get, {"GET", "k"});
    p.yield(20s, "new");
    CHECK(p.s.server().take() == lines{"GET k", "AUTH me new"});
    p.s.server().reply("v");
    p.s.server().reply("OK");
    CHECK(get.words == "v");
    CHECK(p.next_question() == 16s);
    CHECK(p.s.world.connections.size() == 1);
    CHECK(p.s.events == lines{"open"});
    CHECK(p.s.logged.size() == 1);
}

TEST_CASE("session credentials: credentials without an end are asked for once", "[session][credentials]")
{
    provided p;
    p.open();
    p.s.advance(24h * 365);
    CHECK(p.requests.size() == 1);
}

TEST_CASE(
    "session credentials: after a refused AUTH the connection stays and the client asks again",
    "[session][credentials]")
{
    provided p;
    p.open(10s);
    p.next_question();
    std::vector<core::duration> pauses;
    for (int i = 0; i < 8; ++i) {
        p.yield(10s, "bad");
        CHECK(p.s.server().take() == lines{"AUTH me bad"});
        p.s.server().error(wrong);
        pauses.push_back(p.next_question());
        CHECK(p.requests.back().is_refused);
    }
    CHECK(std::ranges::is_sorted(pauses));
    CHECK(pauses.front() == 50ms);
    CHECK(pauses.back() == 2500ms);
    CHECK(p.s->is_open());
    p.yield(10s);
    p.s.server().reply("OK");
    CHECK(
        p.s.logged
        == lines{
            "connected to fake as client 1",
            "no new credentials: " + wrong + "; the client asks again",
            "the server has accepted new credentials"});
    CHECK(p.next_question() == 8s);
    CHECK_FALSE(p.requests.back().is_refused);
    CHECK(p.s.events == lines{"open"});
}

TEST_CASE("session credentials: a provider that fails or is late does not end the connection", "[session][credentials]")
{
    provided p;
    p.open(10s);
    p.next_question();
    p.handlers.back()(std::make_exception_ptr(std::runtime_error("pw of me")), {});
    p.s.turn();
    CHECK(p.s.logged.back() == "no new credentials: the provider threw an exception; the client asks again");
    CHECK(p.next_question() == 50ms);
    auto const late = p.handlers.back();
    CHECK(p.next_question() > 10s);
    CHECK(p.s.logged.back() == "no new credentials: the provider did not complete within 10 s; the client asks again");
    late({.password = "late"});
    p.s.turn();
    CHECK(p.s.server().take().empty());
    CHECK(p.s.events == lines{"open"});
}

TEST_CASE("session credentials: AUTH without a reply is repeated with fresh credentials", "[session][credentials]")
{
    provided p;
    p.open(10s);
    p.next_question();
    p.yield();
    CHECK(p.s.server().take() == lines{"AUTH me pw"});
    CHECK(p.next_question() == 3050ms);
    CHECK(p.s->is_open());
    p.s.server().reply("OK");  // the late one is dropped
    p.yield();
    CHECK(p.s.server().take() == lines{"AUTH me pw"});
    p.s.server().reply("OK");
    CHECK(p.s.logged.back() == "the server has accepted new credentials");
}

TEST_CASE("session credentials: a connection that ends abandons the question", "[session][credentials]")
{
    provided p;
    p.open(10s);
    p.next_question();
    p.s.server().end();
    p.yield(10s, "old");
    CHECK(p.s.world.connections.size() == 1);
    p.next_question();
    CHECK(p.requests.size() == 3);
    p.yield(10s, "new");
    CHECK(p.s.server().take().front() == "HELLO 3 AUTH me new SETNAME me");
}

TEST_CASE("session credentials: a connection that ends during AUTH leads to a fresh question", "[session][credentials]")
{
    provided p;
    p.open(10s);
    p.next_question();
    p.yield();
    p.s.server().end();
    CHECK(p.s.events.back() == "closed: fake: End of file");
    CHECK(p.next_question() < 1s);
    p.yield();
    p.s.greet(8, "b");
    CHECK(p.s->is_open());
}

TEST_CASE("session credentials: NOAUTH for a command leads to a new connection", "[session][credentials]")
{
    provided p;
    p.open();
    probe get;
    p.s.submit(get, {"GET", "k"});
    p.s.turn();
    p.s.server().error("NOAUTH Authentication required.");
    CHECK(get.outcome == engine::outcome::refused);
    CHECK(p.s.events.back() == "closed: fake: NOAUTH Authentication required.");
    CHECK_FALSE(p.s.last.permanent);
    p.next_question();
    CHECK(p.requests.back().is_refused);
}

TEST_CASE("session credentials: credentials that cannot be used are not sent", "[session][credentials]")
{
    provided p;
    p.s.turn();
    p.yield(1h, "");
    CHECK(p.s.events.back() == "closed: fake: the provider yielded an empty password");
    p.next_question();
    p.yield(0ms);
    CHECK(p.s.events.back() == "closed: fake: the provider yielded credentials that have ended already");
    p.next_question();
    p.yield(-1h);
    CHECK(p.s.world.connections.empty());
    CHECK(p.s.logged.size() == 2);
}

TEST_CASE("session credentials: a stopped session ignores the provider", "[session][credentials]")
{
    provided p;
    p.s.turn();
    p.s->stop();
    p.yield();
    p.s.advance(1h);
    CHECK(p.s.world.connections.empty());
    CHECK(p.requests.size() == 1);
    CHECK(p.s.events.empty());
}

TEST_CASE("session credentials: a password reaches no log line and no error", "[session][credentials]")
{
    provided p;
    p.s.turn();
    p.yield(10s, "hunter2");
    p.s.server().error("ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'me' 'hunter2' ");
    p.next_question();
    p.yield(10s, "hunter2");
    p.s.greet(7, "a");
    p.next_question();
    p.yield(10s, "hunter2");
    p.s.server().error("ERR unknown command 'AUTH', with args beginning with: 'me' 'hunter2' ");
    p.next_question();
    p.handlers.back()(std::make_exception_ptr(std::runtime_error("hunter2")), {});
    p.s.turn();
    for (auto const& all : {p.s.logged, p.s.events})
        for (auto const& line : all)
            CHECK(line.find("hunter2") == std::string::npos);
    CHECK(p.s.logged.size() >= 3);
}

}  // namespace session_credentials_test
}  // namespace holdfast::session
