//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A session with a provider over the simulated transport, below the engine.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/credentials.hpp>

#include "simulation/recorder.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// A server with one user, whose password the test changes, and a provider that yields it.
struct account {
    account()
    {
        change_password();
        sim.server().check([this](executed const& e) {
            logins += e.what.args[0] == "HELLO";
            renewals += e.what.args[0] == "AUTH";
        });
    }

    void change_password() { sim.server().model().set_user("app", password = "secret" + std::to_string(++changes)); }

    holdfast::config config()
    {
        auto c = sim.config();
        c.credentials = [this](credentials_request what, credentials_handler done) {
            refusals += what.is_refused;
            if (questions++ < silent)
                return;
            done({"app", is_stale ? "stale" : password, 10s});
        };
        return c;
    }

    simulation sim{1};
    std::string password;
    int changes = 0, questions = 0, refusals = 0, silent = 0, logins = 0, renewals = 0;
    bool is_stale = false;
};

TEST_CASE("session credentials: the simulated server accepts what the provider yields", "[credentials]")
{
    account a;
    recorder r(a.sim, a.config());
    r.start();
    a.sim.world().run_for(1s);
    REQUIRE(r.session().is_open());
    r.send({"PING"});
    for (int i = 0; i < 10; ++i) {
        a.change_password();
        a.sim.world().run_for(9s);
    }
    CHECK(r.events == std::vector<std::string>{"open"});
    CHECK(a.logins == 1);
    CHECK(a.renewals >= 9);
    CHECK(a.refusals == 0);
    CHECK(r.commands[0].text == "PONG");
}

TEST_CASE("session credentials: a refused AUTH keeps the connection, whose commands go on", "[credentials]")
{
    account a;
    recorder r(a.sim, a.config());
    r.start();
    a.sim.world().run_for(1s);
    r.session().subscribe("news");
    a.is_stale = true;
    a.sim.world().run_for(60s);
    CHECK(a.renewals >= 5);
    CHECK(a.renewals <= 30);
    CHECK(a.refusals == a.renewals - 1);  // not before the first one was refused
    r.send({"PUBLISH", "news", "x"});
    a.sim.world().run_for(1s);
    CHECK(r.events == std::vector<std::string>{"open", "news"});
    CHECK(r.commands[0].integer == 1);
    a.is_stale = false;
    a.sim.world().run_for(10s);
    auto const refused = a.refusals;
    a.sim.world().run_for(60s);
    CHECK(a.refusals == refused);
    CHECK(a.logins == 1);
}

TEST_CASE("session credentials: the session connects when a provider answers at last", "[credentials]")
{
    account a;
    a.silent = 3;
    recorder r(a.sim, a.config());
    r.start();
    a.sim.world().run_for(29s);
    CHECK(r.count("open") == 0);
    CHECK(a.logins == 0);
    a.sim.world().run_for(11s);
    CHECK(r.count("open") == 1);
    CHECK(r.count("closed") == 3);
}

TEST_CASE("session credentials: a connection that the server closes is replaced with fresh ones", "[credentials]")
{
    account a;
    recorder r(a.sim, a.config());
    r.start();
    a.sim.world().run_for(1s);
    for (int i = 0; i < 5; ++i) {
        a.change_password();
        a.sim.server().model().disconnect_all();
        a.sim.world().run_for(3s);
        REQUIRE(r.session().is_open());
    }
    CHECK(a.logins == 6);
    CHECK(a.refusals == 0);
}

}  // namespace
}  // namespace holdfast::test
