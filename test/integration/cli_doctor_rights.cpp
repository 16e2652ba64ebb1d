//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// holdfast doctor at servers that deny something: each right of docs/operations.md, one at a time.

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "support/resp_client.hpp"
#include "tool/rights.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;
using holdfast::cli::grade;
using holdfast::detail::command_reply;

namespace {

// The rights of docs/operations.md, and CLIENT ID.
std::vector<std::string> const server_rights{
    "hello",         "auth",      "ping",        "select",  "client|setname", "client|kill",   "client|id", "info",
    "cluster|slots", "subscribe", "unsubscribe", "publish", "evalsha",        "eval",          "set",       "getrange",
    "mget",          "unlink",    "exists",      "type",    "pttl",           "pexpire",       "time",      "hset",
    "hget",          "hdel",      "hexists",     "hlen",    "hkeys",          "hgetall",       "persist",   "rpush",
    "linsert",       "lpop",      "lrem",        "lindex",  "lrange",         "llen",          "zadd",      "zrem",
    "zscore",        "hscan",     "incrby",      "decrby",  "zrange",         "zrangebyscore", "zcard",     "zmscore",
    "zscan",         "hmget",     "lpos"};

// Makes the user `locks` with these rights but one.
void deny(redis_server& server, std::string const& right)
{
    std::vector<std::string> words{
        "ACL", "SETUSER", "locks", "reset", "on", ">word", "~order:*", "~*{order:*", "resetchannels", "&*{order:*"};
    for (auto const& r : server_rights)
        if (r != right)
            words.push_back("+" + r);
    REQUIRE(server.command(words).text == "OK");
}

std::string url_of_user(redis_server const& server)
{
    return "unix://locks:word@" + server.socket_path();
}

struct denial {
    char const* right;
    int status;        // of the tool
    std::string says;  // a part of its output
};

// The reply of a server, as the library reads it.
command_reply reply_of(holdfast::simulated::value const& v)
{
    if (v.is_error())
        return {.type = command_reply::kind::error, .text = v.text};
    command_reply list{.type = command_reply::kind::list};
    for (auto const& item : v.items)
        list.items.push_back(item.text);
    return list;
}

std::string words_of(unsigned needs)
{
    using namespace holdfast::cli;
    constexpr unsigned all_locks = needs_mutex | needs_reentrant | needs_fair | needs_read_write;
    return (needs & all_locks) == all_locks ? " for all locks" : " for ";
}

}  // namespace

TEST_CASE("cli doctor: a user with the documented rights has them all", "[cli][doctor]")
{
    redis_server server{"appendonly yes"};
    deny(server, "nothing");
    tool t(url_of_user(server), {"doctor", "order:trial"});
    CHECK(t.wait() == 0);
    CHECK_THAT(t.output(), ContainsSubstring("ok    access          this user may acquire"));
    CHECK_THAT(t.output(), ContainsSubstring("ok    rights          scripts may call all"));
    CHECK_THAT(t.output(), ContainsSubstring("ok    SUBSCRIBE") && ContainsSubstring("ok    PUBLISH"));
    CHECK_THAT(t.output(), ContainsSubstring("ok    CLIENT KILL     a new connection ends the previous one"));
    CHECK_THAT(t.output(), ContainsSubstring("ok    clock"));
    CHECK(count_warnings(t.output()) == 0);
    CHECK(server.command({"DBSIZE"}).integer == 0);
}

TEST_CASE("cli doctor: each right that is denied is reported, with what Holdfast does without it", "[cli][doctor]")
{
    redis_server server{"appendonly yes"};
    std::vector<denial> const denials{
        {"client|id", 0, "ok    CLIENT KILL     permitted; not tried on a connection"},
        {"client|kill", 0, "warn  CLIENT KILL     no: after a lost connection"},
        {"info", 0, "warn  INFO            no: memory, persistence"},
        {"ping", 0, "warn  SUBSCRIBE       no: waiters poll"},
        {"subscribe", 0, "warn  SUBSCRIBE       no: waiters poll"},
        {"unsubscribe", 0, "warn  UNSUBSCRIBE     no: one second after"},
        {"publish", 0, "warn  PUBLISH         no: a release wakes no waiter"},
        {"zscan", 0, "warn  rights          denied, so operations end with errc::not_permitted: zscan for semaphore"},
        {"getrange",
         1,
         "BAD   rights          denied, so operations end with errc::not_permitted: getrange for all locks"},
        {"time", 1, "BAD   rights          denied, so operations end with errc::not_permitted: time for all locks"},
        {"eval", 1, "BAD   rights          not tested (NOPERM"},
        {"evalsha", 1, "BAD   access          "},
    };
    for (auto const& d : denials) {
        CAPTURE(d.right);
        deny(server, d.right);
        tool t(url_of_user(server), {"doctor", "order:trial"});
        CHECK(t.wait() == d.status);
        CHECK_THAT(t.output(), ContainsSubstring(d.says));
        CHECK(server.command({"DBSIZE"}).integer == 0);
    }
}

TEST_CASE("cli doctor: each denied command of the scripts is named, with the locks that need it", "[cli][doctor]")
{
    redis_server server;
    deny(server, "nothing");
    resp_client user(server.socket_path());
    user.command({"AUTH", "locks", "word"});
    for (auto const& r : holdfast::cli::rights()) {
        auto const command = std::string(r.command);
        CAPTURE(command);
        deny(server, command);
        auto const f = holdfast::cli::judge_rights(
            reply_of(user.command(holdfast::cli::rights_script("order:" + command))));
        auto const said = command + words_of(r.needs);
        CHECK(f.grade == (said.ends_with("all locks") ? grade::bad : grade::doubtful));
        CHECK_THAT(f.words, ContainsSubstring(": " + said));
        CHECK(count_of(f.words, " for ") == 1);  // only this one
    }
    // The user who may not delete leaves a key that expires at once.
    CHECK(server.command({"KEYS", "*"}).items.size() <= 1);
    CHECK(eventually([&] { return server.command({"DBSIZE"}).integer == 0; }));
}

TEST_CASE("cli doctor: keys and channels that belong to a lock may be denied, though its name is permitted", "[cli]")
{
    redis_server server;
    server.command({"ACL", "SETUSER", "guest", "on", ">word", "+@all", "~own:*", "resetchannels"});
    auto const url = "unix://guest:word@" + server.socket_path();
    tool denied(url, {"doctor"});
    CHECK(denied.wait() == 1);
    CHECK_THAT(denied.output(), ContainsSubstring("BAD   rights          not tested (NOPERM"));

    server.command({"ACL", "SETUSER", "guest", "~holdfast_fence:{own:*"});
    tool deaf(url, {"doctor", "own:trial"});
    CHECK(deaf.wait() == 0);
    auto const output = deaf.output();
    CHECK_THAT(
        output, ContainsSubstring("ok    access") && ContainsSubstring("warn  SUBSCRIBE       no: waiters poll"));
    CHECK_THAT(output, ContainsSubstring("warn  keys            no: fenced locks, fair_lock"));
    CHECK(server.command({"DBSIZE"}).integer == 0);
}
