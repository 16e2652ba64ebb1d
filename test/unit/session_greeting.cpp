//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Every line of the table in session/greeting.hpp.

#include <array>
#include <span>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "core/server_age.hpp"
#include "session/greeting.hpp"

namespace holdfast::session {
namespace session_greeting_test {

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
    g.begin(false, purpose::one_server);
    REQUIRE(say_hello(g, 7) == outcome::more);
    REQUIRE(say_info(g, "a") == outcome::open);
    g.begin(false, purpose::one_server);
    return g;
}

TEST_CASE("greeting: HELLO and INFO yield the connection's number, the server's run id and its start", "[session]")
{
    greeting g;
    g.begin(false, purpose::one_server);
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
    g.begin(true, purpose::one_server);
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

TEST_CASE("greeting: the last connection of a session that has ended is killed, too", "[session]")
{
    greeting g;
    g.follow(second_connection().previous());
    g.begin(false, purpose::one_server);
    say_hello(g, 8);
    CHECK(say_info(g, "a") == outcome::kill);
    CHECK(g.previous().number == 7);
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
    at_hello.begin(false, purpose::one_server);
    CHECK(at_hello.on_error("WRONGPASS invalid username-password pair") == outcome::refused);
    CHECK(at_hello.refusal().code == errc::not_permitted);
    CHECK(at_hello.refusal().permanent);

    greeting at_select;
    at_select.begin(true, purpose::one_server);
    say_hello(at_select, 7);
    CHECK(at_select.on_error("ERR DB index is out of range") == outcome::refused);
    CHECK(at_select.refusal().code == errc::protocol);
}

TEST_CASE("greeting: the reply of a server without RESP3 ends the connection", "[session]")
{
    greeting g;
    g.begin(false, purpose::one_server);
    CHECK(g.on_reply(text("OK"), now) == outcome::refused);
    CHECK(g.refusal().words == "the server does not speak RESP3");
}

// ---- a server in cluster mode

using engine::slot_coverage;

constexpr engine::reply number(std::int64_t n)
{
    return {.type = engine::reply::kind::integer, .integer = n};
}

outcome say_cluster_hello(greeting& g, std::int64_t id, std::string_view role = "master")
{
    std::array const items{text("id"), number(id), text("mode"), text("cluster"), text("role"), text(role)};
    return g.on_reply({.type = engine::reply::kind::array, .items = items}, now);
}

// The first range belongs to primary "a", and the rest to `owner_of_rest`, if it has a name.
outcome say_slots(greeting& g, std::int64_t last, std::string_view owner_of_rest = {})
{
    auto const list = [](auto const& items) { return engine::reply{engine::reply::kind::array, 0, {}, items}; };
    std::array const a{text("h"), number(1), text("a")};
    std::array const b{text("h"), number(2), text(owner_of_rest)};
    std::array const first{number(0), number(last), list(a)};
    std::array const rest{number(last + 1), number(16383), list(b)};
    std::array const ranges{list(first), list(rest)};
    return g.on_reply(list(std::span(ranges).first(owner_of_rest.empty() ? 1 : 2)), now);
}

// Returns a greeting whose first connection, number 7 of run "a", was opened, and whose second connection is at the
// step slots.
greeting at_slots(std::string_view role = "master")
{
    auto g = second_connection();
    REQUIRE(say_cluster_hello(g, 8, role) == outcome::more);
    REQUIRE(say_info(g, "a") == outcome::slots);
    REQUIRE(g.current_step() == step::slots);
    return g;
}

TEST_CASE("greeting: a server that is not in cluster mode has no hash slots", "[session][cluster]")
{
    greeting g;
    g.begin(false, purpose::one_server);
    std::array const items{text("mode"), text("standalone"), text("id"), number(7)};
    CHECK(g.on_reply({.type = engine::reply::kind::array, .items = items}, now) == outcome::more);
    CHECK(say_info(g, "a") == outcome::open);
    CHECK_FALSE(g.id().server.has_hash_slots());
}

TEST_CASE("greeting: the only primary of a cluster is used, after the barrier", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(say_slots(g, 16383) == outcome::kill);
    CHECK(g.current_step() == step::barrier);
    CHECK(g.on_reply(number(1), now) == outcome::open);
    CHECK(g.id().server.slots == slot_coverage::all);
    CHECK(g.id().server.run_id == "a");

    greeting first;
    first.begin(false, purpose::one_server);
    say_cluster_hello(first, 7);
    CHECK(say_info(first, "a") == outcome::slots);
    CHECK(say_slots(first, 16383) == outcome::open);
}

TEST_CASE("greeting: a member of a cluster of several primaries is refused for good", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(say_slots(g, 99, "b") == outcome::refused);
    CHECK(g.refusal().code == errc::protocol);
    CHECK(g.refusal().permanent);
    CHECK(
        g.refusal().words
        == "the server is a member of a Redis Cluster of 2 primaries, which redis:// cannot use: write "
           "redis+cluster://");
    CHECK(g.previous().number == 7);
}

TEST_CASE("greeting: a server of a cluster with slots without a primary is refused for good", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(say_slots(g, 8191) == outcome::refused);
    CHECK(g.refusal().code == errc::protocol);
    CHECK(g.refusal().permanent);
    CHECK(
        g.refusal().words
        == "the server is a member of a Redis Cluster in which 8192 of 16384 hash slots have no primary, which "
           "redis:// cannot use: write redis+cluster://");
}

TEST_CASE("greeting: a reply to CLUSTER SLOTS that makes no sense is refused for good", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(g.on_reply(text("OK"), now) == outcome::refused);
    CHECK(g.refusal().code == errc::protocol);
    CHECK(g.refusal().permanent);
}

TEST_CASE("greeting: a replica in a cluster is not used for now", "[session][cluster]")
{
    auto g = at_slots("replica");
    CHECK(say_slots(g, 16383) == outcome::refused);
    CHECK(g.refusal().code == errc::unavailable);
    CHECK_FALSE(g.refusal().permanent);
}

TEST_CASE("greeting: hash slots are assumed if the server denies CLUSTER SLOTS or INFO", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(g.on_error(denied) == outcome::kill);
    CHECK(g.id().server.slots == slot_coverage::unconfirmed);
    CHECK(g.id().server.has_hash_slots());

    auto without_info = second_connection();
    say_cluster_hello(without_info, 8);
    CHECK(without_info.on_error(denied) == outcome::slots);
    CHECK(say_slots(without_info, 16383) == outcome::open);  // without a barrier, which needs INFO
    CHECK(without_info.id().server.slots == slot_coverage::all);
}

// ---- a client of a cluster

// A greeting with a seed at the step slots.
greeting seed_at_slots(std::string_view role = "master")
{
    greeting g;
    g.begin(false, purpose::seed);
    REQUIRE(say_cluster_hello(g, 7, role) == outcome::more);
    REQUIRE(say_info(g, "a") == outcome::slots);
    return g;
}

TEST_CASE("greeting: a seed tells the slots of all primaries", "[session][cluster]")
{
    for (auto const* const role : {"master", "replica"}) {
        auto g = seed_at_slots(role);
        CHECK(say_slots(g, 99, "b") == outcome::open);
        CHECK(g.slots().primaries.size() == 2);
        CHECK(g.slots().covered_slots() == 16384);
        CHECK(g.id().server.slots == slot_coverage::some);
    }
}

TEST_CASE("greeting: a seed may know of slots without a primary, but not of no slot at all", "[session][cluster]")
{
    auto g = seed_at_slots();
    CHECK(say_slots(g, 99) == outcome::open);
    auto none = seed_at_slots();
    CHECK(none.on_reply({.type = engine::reply::kind::array}, now) == outcome::refused);
    CHECK(none.refusal().code == errc::unavailable);
    CHECK_FALSE(none.refusal().permanent);
}

TEST_CASE("greeting: a seed that denies CLUSTER SLOTS is refused for good", "[session][cluster]")
{
    auto g = seed_at_slots();
    CHECK(g.on_error(denied) == outcome::refused);
    CHECK(g.refusal().code == errc::not_permitted);
    CHECK(g.refusal().permanent);
}

TEST_CASE("greeting: a seed that makes no sense is refused for good", "[session][cluster]")
{
    auto g = seed_at_slots();
    CHECK(g.on_reply(text("OK"), now) == outcome::refused);
    CHECK(g.refusal().permanent);
}

TEST_CASE("greeting: a seed or a member that is not of a cluster is refused for good", "[session][cluster]")
{
    for (auto const why : {purpose::seed, purpose::member}) {
        greeting g;
        g.begin(false, why);
        std::array const items{text("mode"), text("standalone"), text("id"), number(7)};
        CHECK(g.on_reply({.type = engine::reply::kind::array, .items = items}, now) == outcome::refused);
        CHECK(g.refusal().code == errc::protocol);
        CHECK(g.refusal().permanent);
        CHECK(g.refusal().words == "the server is not a node of a Redis Cluster: write redis://");
    }
}

TEST_CASE(
    "greeting: a member with a known id is used only if it has that id, or does not tell it", "[session][cluster]")
{
    auto const member = [] {
        greeting g;
        g.begin(false, purpose::member, "id-1");
        REQUIRE(say_cluster_hello(g, 7) == outcome::more);
        REQUIRE(say_info(g, "a") == outcome::more);
        return g;
    };
    auto same = member();
    CHECK(same.on_reply(text("id-1"), now) == outcome::open);
    CHECK(same.id().server.slots == slot_coverage::some);
    auto denies = member();
    CHECK(denies.on_error(denied) == outcome::open);
    auto other = member();
    CHECK(other.on_reply(text("id-2"), now) == outcome::refused);
    CHECK(other.refusal().code == errc::unavailable);
    CHECK_FALSE(other.refusal().permanent);

    greeting without_info;
    without_info.begin(false, purpose::member, "id-1");
    REQUIRE(say_cluster_hello(without_info, 7) == outcome::more);
    CHECK(without_info.on_error(denied) == outcome::more);
    CHECK(without_info.on_reply(text("id-2"), now) == outcome::refused);
}

TEST_CASE("greeting: a member is not asked for the slots", "[session][cluster]")
{
    greeting g;
    g.begin(false, purpose::member);
    CHECK(say_cluster_hello(g, 7) == outcome::more);
    CHECK(say_info(g, "a") == outcome::open);
    CHECK(g.id().server.slots == slot_coverage::some);

    greeting denies_info;
    denies_info.begin(false, purpose::member);
    say_cluster_hello(denies_info, 7);
    CHECK(denies_info.on_error(denied) == outcome::open);
    CHECK(denies_info.id().server.has_hash_slots());
}

TEST_CASE("greeting: a member has sharded messages by its version, unless the user decides", "[session][cluster]")
{
    auto const messages = [](std::string_view version, sharded_messages use) {
        greeting g;
        g.begin(false, purpose::member, {}, use);
        std::array const items{text("mode"), text("cluster"), text("version"), text(version), text("id"), number(7)};
        g.on_reply({.type = engine::reply::kind::array, .items = items}, now);
        say_info(g, "a");
        return g.id().server.messages;
    };
    using engine::message_form;
    CHECK(messages("7.0.15", sharded_messages::automatic) == message_form::sharded);
    CHECK(messages("6.2.14", sharded_messages::automatic) == message_form::plain);
    CHECK(messages("7.0.15", sharded_messages::no) == message_form::plain);
    CHECK(messages("6.2.14", sharded_messages::yes) == message_form::sharded);
}

TEST_CASE("greeting: a member that is a replica now is not used for now", "[session][cluster]")
{
    greeting g;
    g.begin(false, purpose::member);
    CHECK(say_cluster_hello(g, 7, "replica") == outcome::refused);
    CHECK(g.refusal().code == errc::unavailable);
    CHECK_FALSE(g.refusal().permanent);
}

TEST_CASE("greeting: a server too busy for CLUSTER SLOTS is not used", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(g.on_error(busy) == outcome::refused);
    CHECK_FALSE(g.refusal().permanent);
}

TEST_CASE("greeting: what one connection learned of slots does not count for the next one", "[session][cluster]")
{
    auto g = at_slots();
    CHECK(say_slots(g, 16383) == outcome::kill);
    g.on_reply(number(1), now);
    g.begin(false, purpose::one_server);
    CHECK(say_hello(g, 9) == outcome::more);
    CHECK(say_info(g, "a") == outcome::kill);
    CHECK_FALSE(g.id().server.has_hash_slots());
}

TEST_CASE("MOVED ends the connection to a server that had all slots, READONLY any", "[session][cluster]")
{
    using engine::refusal;
    for (auto const slots : {slot_coverage::no_slots, slot_coverage::unconfirmed, slot_coverage::all}) {
        engine::server_identity const server{.slots = slots};
        CHECK(leads_to_another_server(refusal::moved, server) == (slots == slot_coverage::all));
        CHECK(leads_to_another_server(refusal::read_only, server));
        for (auto const why : {refusal::ask, refusal::none, refusal::not_now, refusal::other})
            CHECK_FALSE(leads_to_another_server(why, server));
    }
}

TEST_CASE("hello_words: AUTH and SETNAME are sent only if there are credentials and a name", "[session]")
{
    using words = std::vector<std::string_view>;
    CHECK(hello_words({}) == words{"HELLO", "3"});
    client_login const named{.has_password = true, .user = {}, .password = "", .client_name = "c"};
    CHECK(hello_words(named) == words{"HELLO", "3", "AUTH", "default", "", "SETNAME", "c"});
}

}  // namespace session_greeting_test
}  // namespace holdfast::session
