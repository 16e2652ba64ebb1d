//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Subscriptions, and the errors with which a server refuses: the session's rules depend on how Redis sends them.

#include <chrono>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "engine/port/refusal.hpp"
#include "sim/sha1.hpp"
#include "support/trace.hpp"

namespace holdfast::test {
namespace {

using simulated::value;

// Two connections to the real server and two to the model. What each receives, pushes and replies, is one line per
// item. On another server than Redis 7.0 the line of an error is what the client takes it for.
class conversation {
public:
    explicit conversation(redis_server& real)
        : is_exact_(is_redis_7_0(real)),
          real_{{real.socket_path(), resp_client::protocol::resp3}, {real.socket_path(), resp_client::protocol::resp3}}
    {
        for (auto& p : modelled_)
            p.id = model_.connect(p);
    }

    // Sends a command on connection `n` and compares everything that both connections receive then: as many pushes as
    // the model sends, and the reply.
    void say(std::size_t n, std::vector<std::string> const& text)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        auto& me = modelled_[n];
        auto const reply = model_.execute(me.id, views, wall_clock_us());
        if (reply)
            me.received.push_back("reply " + line_of(*reply));
        real_[n].send(views);
        for (std::size_t i = 0; i != 2; ++i)
            for (auto const& line : std::exchange(modelled_[i].received, {})) {
                INFO(to_line(views));
                CHECK(received_by(real_[i]) == line);
            }
    }

    simulated::redis_model& model() { return model_; }

private:
    struct listener final : simulated::peer {
        void on_push(value const& v) override { received.push_back("push " + to_string(v)); }
        void on_kill() override { received.push_back("killed"); }
        simulated::connection_id id = 0;
        std::vector<std::string> received;
    };

    std::string line_of(value const& v) const
    {
        if (is_exact_ || !v.is_error())
            return to_string(v);
        return "refusal " + std::to_string(static_cast<int>(engine::classify(v.text)));
    }

    std::string received_by(resp_client& p) const
    {
        auto const next = p.read();
        return (next.is_push ? "push " : "reply ") + line_of(next.what);
    }

    bool const is_exact_;
    resp_client real_[2];
    simulated::redis_model model_;
    listener modelled_[2];
};

TEST_CASE("the model sends confirmations of subscriptions, messages and replies in the order of Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    skip_unless_redis_7_0(real);
    conversation c(real);
    c.say(0, {"SUBSCRIBE", "a"});
    c.say(0, {"PING"});
    c.say(1, {"PUBLISH", "a", "hello"});
    c.say(0, {"PUBLISH", "a", "to myself"});
    c.say(0, {"EVAL", "return redis.call('publish', 'a', 'from a script')", "0"});
    c.say(0, {"EVAL", "redis.call('publish', 'a', '1') redis.call('publish', 'a', '2') return 'done'", "0"});
    c.say(1, {"SUBSCRIBE", "a", "b"});
    c.say(1, {"PUBLISH", "a", "both"});
    c.say(0, {"SUBSCRIBE", "a"});
    c.say(0, {"UNSUBSCRIBE", "a"});
    c.say(0, {"UNSUBSCRIBE", "a"});
    c.say(0, {"PUBLISH", "a", "not to me"});
    c.say(0, {"GET", "works between pushes"});
}

TEST_CASE("the model delivers sharded messages apart from plain ones, as Redis does", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    skip_unless_redis_7_0(real);
    conversation c(real);
    c.say(0, {"SSUBSCRIBE", "a"});
    c.say(1, {"SUBSCRIBE", "a"});
    c.say(1, {"SPUBLISH", "a", "sharded"});
    c.say(0, {"PUBLISH", "a", "plain"});
    c.say(0, {"EVAL", "return redis.call('spublish', 'a', 'from a script')", "0"});
    c.say(0, {"SSUBSCRIBE", "a", "b"});
    c.say(0, {"SUNSUBSCRIBE", "a"});
    c.say(0, {"SUNSUBSCRIBE", "a"});
    c.say(1, {"SPUBLISH", "a", "to nobody"});
    c.say(0, {"SSUBSCRIBE"});
}

TEST_CASE("CLIENT REPLY SKIP suppresses the reply to the next command and not its pushes, as in Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    skip_unless_redis_7_0(real);
    conversation c(real);
    c.say(0, {"CLIENT", "REPLY", "SKIP"});
    c.say(0, {"PING"});
    c.say(0, {"PING"});
    c.say(0, {"CLIENT", "REPLY", "SKIP"});
    c.say(0, {"GET"});
    c.say(0, {"PING"});
    c.say(0, {"CLIENT", "REPLY", "SKIP"});
    c.say(0, {"SSUBSCRIBE", "a"});
    c.say(0, {"CLIENT", "REPLY", "SKIP"});
    c.say(0, {"SUNSUBSCRIBE", "a"});
    c.say(0, {"PING"});
    c.say(0, {"CLIENT", "REPLY", "ON"});
    c.say(0, {"CLIENT", "REPLY", "NEVER"});
    c.say(0, {"CLIENT", "REPLY"});
}

TEST_CASE("the error for a refused subscription takes the place of a reply, in the model as in Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    skip_unless_redis_7_0(real);
    real.command({"ACL", "SETUSER", "default", "resetchannels"});
    conversation c(real);
    c.model().deny_channels(true);
    c.say(0, {"SUBSCRIBE", "a"});
    c.say(0, {"PING"});
    c.say(0, {"PUBLISH", "a", "x"});
    c.say(0, {"EVAL", "return redis.call('publish', 'a', 'x')", "0"});
    c.say(0, {"EVAL", "return redis.pcall('publish', 'a', 'x')", "0"});
    c.say(0, {"EVAL", "return type(redis.pcall('publish', 'a', 'x'))", "0"});
    c.say(0, {"UNSUBSCRIBE", "a"});
}

TEST_CASE("the model refuses denied commands and subcommands as Redis does", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    skip_unless_redis_7_0(real);
    conversation c(real);
    real.command({"ACL", "SETUSER", "default", "-set", "-client|kill", "-script|flush", "-eval"});
    for (auto const* const name : {"set", "client|kill", "script|flush", "eval"})
        c.model().deny_command(name);
    c.say(0, {"SET", "k", "v"});
    c.say(0, {"CLIENT", "KILL", "ID", "7"});
    c.say(0, {"SCRIPT", "FLUSH"});
    c.say(0, {"EVAL", "return 1", "0"});
    c.say(0, {"SCRIPT", "LOAD", "return redis.call('set', KEYS[1], 'v')"});
    c.say(0, {"EVALSHA", simulated::sha1("return redis.call('set', KEYS[1], 'v')"), "1", "k"});
}

TEST_CASE("the model refuses commands in the same states and with the same errors as Redis", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    conversation c(real);
    // Redis 6.2 answers PING as a replica without its master, too.
    bool const may_refuse_ping = !real.info("redis_version").starts_with("6.");
    auto const try_all = [&] {
        c.say(0, {"GET", "k"});
        c.say(0, {"SET", "k", "v"});
        c.say(0, {"DEL", "k"});
        c.say(0, {"PEXPIRE", "k", "1000"});
        c.say(0, {"PUBLISH", "a", "x"});
        if (may_refuse_ping)
            c.say(0, {"PING"});
        c.say(0, {"CLIENT", "KILL", "ID", "9999"});
        c.say(0, {"SUBSCRIBE", "a"});
        c.say(0, {"UNSUBSCRIBE", "a"});
        c.say(0, {"EVAL", "return redis.call('get', KEYS[1])", "1", "k"});
        c.say(0, {"EVAL", "return redis.call('set', KEYS[1], 'v')", "1", "k"});
        c.say(0, {"EVAL", "return redis.pcall('set', KEYS[1], 'v')", "1", "k"});
        c.say(0, {"EVAL", "return redis.call('del', KEYS[1])", "1", "k"});
        c.say(0, {"EVAL", "redis.call('del', KEYS[1]) return redis.call('set', KEYS[1], 'v')", "1", "k"});
        c.say(
            0,
            {"EVAL", "redis.pcall('pexpire', KEYS[1], '9') return redis.pcall('zadd', KEYS[1], '1', 'v')", "1", "z"});
        c.say(0, {"EVAL", "return redis.call('publish', 'a', 'x')", "0"});
    };
    SECTION("out of memory")
    {
        real.command({"CONFIG", "SET", "maxmemory", "1"});
        c.model().set_condition(simulated::condition::out_of_memory);
        try_all();
    }
    SECTION("too few replicas")
    {
        real.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
        c.model().set_condition(simulated::condition::no_replicas);
        try_all();
    }
    SECTION("a replica")
    {
        real.command({"REPLICAOF", "127.0.0.1", "1"});
        c.model().set_condition(simulated::condition::replica);
        try_all();
    }
    SECTION("a replica without its master")
    {
        real.command({"CONFIG", "SET", "replica-serve-stale-data", "no"});
        real.command({"REPLICAOF", "127.0.0.1", "1"});
        c.model().set_condition(simulated::condition::stale);
        try_all();
    }
}

TEST_CASE("the model refuses the same commands as Redis while a script keeps the server busy", "[conformance]")
{
    if (!redis_server::is_installed())
        SKIP("no redis-server");
    redis_server real;
    conversation c(real);
    // Valkey 9 answers CLIENT ID. Valkey 8.0 tells a client that has no subscription that it has none; the session
    // never unsubscribes from a channel to which it is not subscribed.
    bool const is_exact = is_redis_7_0(real);
    real.command({"CONFIG", "SET", "lua-time-limit", "20"});
    resp_client endless(real.socket_path(), resp_client::protocol::resp2);
    std::string_view const loop[] = {"EVAL", "while true do end", "0"};
    endless.send(loop);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));

    c.model().set_condition(simulated::condition::busy);
    c.say(0, {"GET", "k"});
    c.say(0, {"PING"});
    c.say(0, {"SUBSCRIBE", "a"});
    c.say(0, {"EVAL", "return 1", "0"});
    if (is_exact) {
        c.say(0, {"UNSUBSCRIBE", "a"});
        c.say(0, {"CLIENT", "ID"});
    }
    c.say(0, {"CLIENT", "KILL", "ID", "9999"});
    c.say(0, {"NOSUCH"});
    c.say(0, {"GET"});
    real.command({"SCRIPT", "KILL"});
    CHECK(endless.read().what.is_error());
    c.model().set_condition(simulated::condition::normal);
    c.say(0, {"PING"});
}

}  // namespace
}  // namespace holdfast::test
