//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The simulated failover behind one address.

#include "support/replicated_server.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engine/port/session.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// A session to the address, whose answers become lines.
struct recording_session final : engine::session_events {
    explicit recording_session(simulation& s) : io(s.make_io(s.at("A"), "redis")) { io.session->start(*this); }
    ~recording_session() { io.session->stop(); }

    void on_open() override { ++opened; }
    void on_closed(engine::closing const&) override { ++closed; }
    void on_message(std::string_view) override {}
    void on_turn_end() override {}

    void say(std::vector<std::string_view> const& text)
    {
        commands.push_back(std::make_unique<call>(*this));
        io.session->submit(*commands.back(), text);
    }

    struct call final : engine::command {
        explicit call(recording_session& c) : home(c) {}
        void on_answer(engine::answer const& a) override
        {
            home.answers.push_back(
                a.outcome == engine::outcome::unknown   ? "unknown"
                : a.outcome == engine::outcome::refused ? std::string(a.words.substr(0, a.words.find(' ')))
                : a.value.text.empty()                  ? std::to_string(a.value.integer)
                                                        : std::string(a.value.text));
        }
        recording_session& home;
    };

    engine::client_io io;
    unsigned opened = 0, closed = 0;
    std::vector<std::string> answers;
    std::vector<std::unique_ptr<call>> commands;
};

using lines = std::vector<std::string>;

struct one_address {
    void run_for(core::duration d) { s.world().run_for(d); }

    simulation s{std::uint64_t(1)};
    replicated_server servers{s, "redis", {.lag = {1ms, 5ms}, .resync = {100ms, 100ms}}};
    recording_session c{s};
};

TEST_CASE_METHOD(one_address, "WAIT is answered when the replica has the write", "[replicated_server]")
{
    run_for(100ms);
    c.say({"SET", "a", "1"});
    c.say({"WAIT", "1", "500"});
    c.say({"GET", "a"});
    run_for(2ms);
    CHECK(c.answers.size() < 3);  // WAIT blocks what follows
    run_for(20ms);
    CHECK(c.answers == lines{"OK", "1", "1"});
}

TEST_CASE_METHOD(one_address, "WAIT ends after its timeout when the replica is cut off", "[replicated_server]")
{
    run_for(100ms);
    servers.cut_off_replicas(1s);
    c.say({"SET", "a", "1"});
    c.say({"WAIT", "1", "100"});
    run_for(90ms);
    CHECK(c.answers == lines{"OK"});
    run_for(150ms);
    CHECK(c.answers == lines{"OK", "0"});
    run_for(1s);
    c.say({"SET", "a", "1"});
    c.say({"WAIT", "1", "100"});
    run_for(50ms);
    CHECK(c.answers.back() == "1");
}

TEST_CASE_METHOD(one_address, "a failover loses what the replica had not received", "[replicated_server]")
{
    run_for(100ms);
    c.say({"SET", "kept", "1"});
    run_for(20ms);
    c.say({"SET", "lost", "1"});
    run_for(2ms);
    REQUIRE(c.answers == lines{"OK", "OK"});
    servers.cut_off_replicas(0ms);
    servers.cut_off_replicas(0ms);  // again: nothing follows, nothing changes
    run_for(150ms);                 // a new copy
    c.say({"SET", "also lost", "1"});
    run_for(1ms);
    REQUIRE(servers.fail_over());
    run_for(2s);
    CHECK(c.closed == 1);
    CHECK(c.opened == 2);
    CHECK(servers.primary().name() == "redis/1");
    CHECK(servers.primary().execute({"EXISTS", "kept", "lost", "also lost"}).integer == 2);
}

TEST_CASE_METHOD(
    one_address,
    "a former primary that is unaware executes commands that no replica acknowledges",
    "[replicated_server]")
{
    run_for(100ms);
    REQUIRE(servers.fail_over(1s));
    c.say({"SET", "a", "1"});
    c.say({"WAIT", "1", "100"});
    run_for(300ms);
    CHECK(c.answers == lines{"OK", "0"});
    CHECK(servers.primary().execute({"EXISTS", "a"}).integer == 0);
    run_for(3s);
    CHECK(c.opened == 2);
    // The former primary follows the new one by now.
    c.say({"SET", "a", "2"});
    c.say({"WAIT", "1", "100"});
    run_for(50ms);
    CHECK(c.answers.back() == "1");
}

TEST_CASE_METHOD(one_address, "there is no failover while no replica follows", "[replicated_server]")
{
    servers.cut_off_replicas(1s);
    CHECK(!servers.fail_over());
    CHECK(servers.fail_overs() == 0);
    run_for(2s);
    CHECK(servers.fail_over());
}

}  // namespace
}  // namespace holdfast::test
