//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// `--json` of `holdfast status`, `holdfast list` and `holdfast doctor`.

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <catch2/catch_test_macros.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
namespace json = boost::json;

namespace {

json::value run_json(redis_server& server, std::vector<std::string> arguments, int status = 0)
{
    std::string output;
    arguments.push_back("--json");
    CHECK(run_tool(server, std::move(arguments), &output) == status);
    CHECK(count_of(output, "\n") == 1);
    return json::parse(output);
}

json::value lock_of(json::value const& status)
{
    return status.at("servers").at(0).at("lock");
}

std::string text_of(json::value const& v)
{
    return json::value_to<std::string>(v);
}

// Of the only finding with this topic.
std::string grade_in(json::value const& doctor, std::string const& topic)
{
    auto const& all = doctor.at("findings").as_array();
    auto const has_topic = [&](json::value const& f) { return text_of(f.at("topic")) == topic; };
    REQUIRE(std::ranges::count_if(all, has_topic) == 1);
    return text_of(std::ranges::find_if(all, has_topic)->at("grade"));
}

}  // namespace

TEST_CASE("cli status: --json prints a lock as the dashboard does", "[cli]")
{
    redis_server server;
    auto const free = lock_of(run_json(server, {"status", "job"}));
    CHECK(text_of(free.at("name")) == "job");
    CHECK(text_of(free.at("kind")) == "free");
    CHECK(free.at("holders").as_array().empty());

    server.command({"SET", "job", client_token + ":tx", "PX", "60000"});
    auto const all = run_json(server, {"status", "job"});
    auto const held = lock_of(all);
    CHECK(all.at("held_on").to_number<int>() == 1);
    CHECK(text_of(held.at("kind")) == "mutex");
    CHECK(text_of(held.at("key")) == "6a6f62");
    CHECK(text_of(held.at("holders").at(0).at("id")) == client_token);
    CHECK(text_of(held.at("holders").at(0).at("label")) == "tx");
    CHECK(held.at("holders").at(0).at("remaining_ms").to_number<int>() > 0);
}

TEST_CASE("cli status: --json prints a holder that is no token of Holdfast, and an error", "[cli]")
{
    redis_server server;
    server.command({"SET", "job", "me:1", "PX", "60000"});
    auto const held = lock_of(run_json(server, {"status", "job"}));
    CHECK(text_of(held.at("kind")) == "mutex");
    CHECK(text_of(held.at("holders").at(0).at("id")) == "me:1");

    server.command({"LPUSH", "list", "x"});
    auto const failed = run_json(server, {"status", "list"}, 69);
    CHECK(failed.at("servers").at(0).at("lock").is_null());
    CHECK(failed.at("servers").at(0).at("error").as_string().size() > 0);
    CHECK(failed.at("failed_on").to_number<int>() == 1);
}

TEST_CASE("cli list: --json prints the locks of the server in one line, sorted by name", "[cli]")
{
    redis_server server;
    CHECK(run_json(server, {"list"}).at("locks").as_array().empty());
    server.command({"EVAL", "for i = 1, 2000 do redis.call('set', 'noise:' .. i, i) end", "0"});
    server.command({"SET", "order:2\nx", client_token, "PX", "60000"});
    server.command({"SET", "order:1", client_token, "PX", "60000"});
    server.command({"SET", "other", client_token, "PX", "60000"});
    auto const all = run_json(server, {"list", "order:*"});
    auto const& locks = all.at("locks").as_array();
    CHECK(all.at("wall_ms").to_number<long long>() > 0);
    REQUIRE(locks.size() == 2);
    CHECK(text_of(locks.at(0).at("name")) == "order:1");
    CHECK(text_of(locks.at(1).at("name")) == "order:2\\x0ax");
    CHECK(text_of(locks.at(0).at("holders").at(0).at("id")) == client_token);
}

TEST_CASE("cli doctor: --json prints all findings in one line", "[cli][doctor]")
{
    redis_server server;
    auto const suitable = run_json(server, {"doctor"});
    CHECK(suitable.at("wall_ms").to_number<long long>() > 0);
    CHECK(suitable.at("suitable").as_bool());
    CHECK(grade_in(suitable, "memory") == "ok");
    CHECK(grade_in(suitable, "persistence") == "warn");
    CHECK(grade_in(suitable, "access") == "ok");
    for (auto const& f : suitable.at("findings").as_array())
        CHECK_FALSE(text_of(f.at("words")).empty());

    server.command({"CONFIG", "SET", "maxmemory", "100mb"});
    server.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    auto const evicting = run_json(server, {"doctor"}, 1);
    CHECK_FALSE(evicting.at("suitable").as_bool());
    CHECK(grade_in(evicting, "memory") == "bad");
}

TEST_CASE("cli doctor: --json prints no document if no server is reachable", "[cli][doctor]")
{
    tool t("redis://127.0.0.1:1", {"doctor", "--json"});
    CHECK(t.wait() == 69);
    CHECK(t.output().starts_with("holdfast: cannot connect"));
    CHECK(count_of(t.output(), "\n") == 1);
}
