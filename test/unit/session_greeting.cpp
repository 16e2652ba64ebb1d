//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every line of the table in session/greeting.hpp.

#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "core/server_age.hpp"
#include "session/greeting.hpp"

namespace holdfast::session {
namespace {

using step = greeting::step;
using outcome = greeting::outcome;

constexpr core::instant now{std::chrono::hours(1000)};

constexpr std::string_view busy = "BUSY Redis is busy running a script.";
constexpr std::string_view denied = "NOPERM this user has no permissions to run the command";

constexpr engine::reply text(std::string_view t)
{
    return {.type = engine::reply::kind::text, .text = t};
}

outcome say_hello(greeting& g, std::int64_t number)
{
    std::array const items{
        text("server"), text("redis"), text("id"), engine::reply{engine::reply::kind::integer, number, {}, {}}};
    return g.on_reply({.type = engine::reply::kind::array, .items = items}, now);
}

outcome say_info(greeting& g, std::string const& run)
{
    return g.on_reply(text("# Server\r\nrun_id:" + run + "\r\nuptime_in_seconds:60\r\n"), now);
}

// Returns a greeting whose first connection, number 7 of run "a", was opened, and whose second connection begins.
greeting second_connection()
{
    greeting g;
    g.begin(false);
    REQUIRE(say_hello(g, 7) == outcome::more);
    REQUIRE(say_info(g, "a") == outcome::open);
    g.begin(false);
    return g;
}

TEST_CASE("greeting: HELLO and INFO yield the connection's number, the server's run id and its start", "[session]")
{
    greeting g;
    g.begin(false);
    CHECK(g.current_step() == step::hello);
    CHECK(say_hello(g, 7) == outcome::more);
    CHECK(g.current_step() == step::info);
    CHECK(say_info(g, "a") == outcome::open);
    CHECK(g.current_step() == step::done);
    CHECK(g.id().number == 7);
    CHECK(g.id().server.run_id == "a");
    CHECK(g.id().server.running_since == core::latest_start(std::chrono::seconds(60), now));
}

TEST_CASE("greeting: SELECT comes before INFO if a database is configured", "[session]")
{
    greeting g;
    g.begin(true);
    CHECK(say_hello(g, 7) == outcome::more);
    CHECK(g.current_step() == step::select);
    CHECK(g.on_reply(text("OK"), now) == outcome::more);
    CHECK(g.current_step() == step::info);
}

TEST_CASE("greeting: the previous connection is killed if the server's run is the same", "[session]")
{
    auto g = second_connection();
    say_hello(g, 8);
    CHECK(say_info(g, "a") == outcome::kill);
    CHECK(g.current_step() == step::barrier);
    CHECK(g.previous().number == 7);
    CHECK(g.on_reply({.type = engine::reply::kind::integer}, now) == outcome::open);
    CHECK(g.previous().number == 8);
}

TEST_CASE("greeting: no connection is killed after a restart of the server", "[session]")
{
    auto g = second_connection();
    say_hello(g, 8);
    CHECK(say_info(g, "b") == outcome::open);
    CHECK(g.previous().server.run_id == "b");
}

TEST_CASE("greeting: the connection opens although the server denies INFO or CLIENT KILL", "[session]")
{
    auto without_info = second_connection();
    say_hello(without_info, 8);
    CHECK(without_info.on_error(denied) == outcome::open);
    CHECK(without_info.previous().server.run_id.empty());
    CHECK(without_info.previous().server.running_since == core::never);

    auto without_kill = second_connection();
    say_hello(without_kill, 8);
    say_info(without_kill, "a");
    CHECK(without_kill.on_error(denied) == outcome::open);
}

TEST_CASE(
    "greeting: a server too busy for INFO or CLIENT KILL is not used, and the barrier is still pending", "[session]")
{
    auto at_info = second_connection();
    say_hello(at_info, 8);
    CHECK(at_info.on_error(busy) == outcome::refused);
    CHECK(at_info.refusal().code == errc::unavailable);
    CHECK(at_info.refusal().words == busy);
    CHECK_FALSE(at_info.refusal().permanent);
    CHECK(at_info.previous().number == 7);

    auto at_kill = second_connection();
    say_hello(at_kill, 8);
    say_info(at_kill, "a");
    CHECK(at_kill.on_error(busy) == outcome::refused);
    CHECK(at_kill.previous().number == 7);
}

TEST_CASE("greeting: an error in place of HELLO's or SELECT's reply ends the connection", "[session]")
{
    greeting at_hello;
    at_hello.begin(false);
    CHECK(at_hello.on_error("WRONGPASS invalid username-password pair") == outcome::refused);
    CHECK(at_hello.refusal().code == errc::not_permitted);
    CHECK(at_hello.refusal().permanent);

    greeting at_select;
    at_select.begin(true);
    say_hello(at_select, 7);
    CHECK(at_select.on_error("ERR DB index is out of range") == outcome::refused);
    CHECK(at_select.refusal().code == errc::protocol);
}

TEST_CASE("greeting: the reply of a server without RESP3 ends the connection", "[session]")
{
    greeting g;
    g.begin(false);
    CHECK(g.on_reply(text("OK"), now) == outcome::refused);
    CHECK(g.refusal().words == "the server does not speak RESP3");
}

TEST_CASE("hello_words: AUTH and SETNAME are sent only if there are credentials and a name", "[session]")
{
    using words = std::vector<std::string_view>;
    CHECK(hello_words({}) == words{"HELLO", "3"});
    client_login const named{.has_password = true, .user = {}, .password = "", .client_name = "c"};
    CHECK(hello_words(named) == words{"HELLO", "3", "AUTH", "default", "", "SETNAME", "c"});
}

}  // namespace
}  // namespace holdfast::session
