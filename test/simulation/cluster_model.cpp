//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The model of a cluster by itself: what its nodes answer, and when each of them learns of a change.

#include "sim/cluster_model.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "sim/sha1.hpp"
#include "simulation/listener.hpp"

namespace holdfast::test {
namespace {

using simulated::cluster_model;
using simulated::connection_id;
using simulated::lua_engine;
using simulated::redis_model;

using lines = std::vector<std::string>;

// One node, and a client that is connected to it.
struct node {
    explicit node(std::shared_ptr<lua_engine> lua) : model(std::move(lua)) {}

    std::string say(std::initializer_list<std::string_view> text)
    {
        auto const reply = model.execute(id, {text.begin(), text.size()}, now_us);
        return reply ? to_string(*reply) : "none";
    }

    redis_model model;
    listener me;
    connection_id id = model.connect(me);
    std::int64_t now_us = 1'800'000'000'123'456;
};

// The slots of the keys "foo" and "bar": those that CLUSTER KEYSLOT of Redis 7.0 returns.
constexpr std::uint16_t slot_of_foo = 12182;
constexpr std::uint16_t slot_of_bar = 5061;

// Three primaries: a has the slots of "bar", c those of "foo".
struct three_nodes {
    three_nodes()
    {
        model.add("a", a.model);
        model.add("b", b.model);
        model.add("c", c.model);
        model.assign(0, 5460, "a");
        model.assign(5461, 10922, "b");
        model.assign(10923, 16383, "c");
    }

    void let_messages_arrive()
    {
        while (!under_way.empty()) {
            auto const arrive = std::move(under_way.front());
            under_way.pop_front();
            arrive();
        }
    }

    std::shared_ptr<lua_engine> lua = std::make_shared<lua_engine>();
    node a{lua}, b{lua}, c{lua};
    std::deque<std::function<void()>> under_way;
    cluster_model model{[this](auto, auto arrive) { under_way.push_back(std::move(arrive)); }};
};

TEST_CASE_METHOD(three_nodes, "each node executes commands for its own slots only", "[cluster_model]")
{
    CHECK(c.say({"SET", "foo", "1"}) == "OK");
    CHECK(a.say({"SET", "foo", "2"}) == "-MOVED 12182 c:6379");
    CHECK(b.say({"GET", "foo"}) == "-MOVED 12182 c:6379");
    CHECK(c.say({"GET", "foo"}) == "\"1\"");
    CHECK(a.say({"SET", "bar", "1"}) == "OK");
    CHECK(c.say({"DEL", "bar"}) == "-MOVED 5061 a:6379");
    CHECK(a.model.keys().names() == lines{"bar"});
    CHECK(c.model.keys().names() == lines{"foo"});
}

TEST_CASE_METHOD(three_nodes, "a command without keys is executed by each node", "[cluster_model]")
{
    CHECK(b.say({"PING"}) == "PONG");
    CHECK(b.say({"EVAL", "return 7", "0"}) == "7");
}

TEST_CASE_METHOD(three_nodes, "keys of several slots are CROSSSLOT, wherever the slots are", "[cluster_model]")
{
    CHECK(c.say({"DEL", "foo", "bar"}) == "-CROSSSLOT Keys in request don't hash to the same slot");
    CHECK(a.say({"DEL", "foo", "bar"}) == "-CROSSSLOT Keys in request don't hash to the same slot");
    CHECK(c.say({"DEL", "{foo}:a", "{foo}:b"}) == "0");
}

TEST_CASE_METHOD(three_nodes, "MOVED precedes NOSCRIPT, and each node has scripts of its own", "[cluster_model]")
{
    std::string_view const text = "return redis.call('incr', KEYS[1])";
    auto const sha = simulated::sha1(text);
    CHECK(a.say({"EVALSHA", sha, "1", "foo"}) == "-MOVED 12182 c:6379");
    CHECK(c.say({"EVALSHA", sha, "1", "foo"}).starts_with("-NOSCRIPT"));
    CHECK(c.say({"EVAL", text, "1", "foo"}) == "1");
    CHECK(c.say({"EVALSHA", sha, "1", "foo"}) == "2");
    model.move(slot_of_foo, "b");
    CHECK(b.say({"EVALSHA", sha, "1", "foo"}).starts_with("-NOSCRIPT"));
}

TEST_CASE_METHOD(three_nodes, "a script that touches a key of another node's slot fails there", "[cluster_model]")
{
    CHECK(
        c.say({"EVAL", "redis.call('set', KEYS[1], 1) return redis.call('get', 'bar')", "1", "foo"})
            .find("Script attempted to access a non local key in a cluster node")
        != std::string::npos);
    CHECK(c.say({"GET", "foo"}) == "\"1\"");  // what it wrote before stays
}

TEST_CASE_METHOD(three_nodes, "a slot without a primary is CLUSTERDOWN", "[cluster_model]")
{
    node only(lua);
    cluster_model partly;
    partly.add("only", only.model);
    partly.assign(0, 8191, "only");
    CHECK(only.say({"GET", "foo"}) == "-CLUSTERDOWN Hash slot not served");
    CHECK(only.say({"GET", "bar"}) == "nil");
    CHECK(partly.primary_of(slot_of_foo).empty());
}

TEST_CASE_METHOD(three_nodes, "CLUSTER SLOTS names the same nodes at each of them", "[cluster_model]")
{
    auto const at_a = a.say({"CLUSTER", "SLOTS"});
    CHECK(at_a == b.say({"CLUSTER", "SLOTS"}));
    CHECK(at_a == c.say({"CLUSTER", "SLOTS"}));
    CHECK(at_a.find("10923") != std::string::npos);
    CHECK(a.model.slots().size() == 3);
    model.move(slot_of_foo, "a");
    CHECK(a.model.slots().size() == 5);  // c has two ranges now
}

TEST_CASE_METHOD(three_nodes, "a moved slot takes its keys along, with their times to live", "[cluster_model]")
{
    CHECK(c.say({"SET", "foo", "1", "PX", "5000"}) == "OK");
    CHECK(c.say({"SET", "{foo}:b", "2"}) == "OK");
    CHECK(c.say({"SET", "a", "3"}) == "OK");
    model.move(slot_of_foo, "b");
    CHECK(b.say({"GET", "foo"}) == "\"1\"");
    CHECK(b.say({"PTTL", "foo"}) == "5000");
    CHECK(b.say({"PTTL", "{foo}:b"}) == "-1");
    CHECK(c.say({"GET", "foo"}) == "-MOVED 12182 b:6379");
    CHECK(c.model.keys().names() == lines{"a"});
}

TEST_CASE_METHOD(three_nodes, "a node that has not heard of a move redirects to the former primary", "[cluster_model]")
{
    model.move(slot_of_foo, "b");
    CHECK(model.primary_of(slot_of_foo) == "b");
    CHECK(a.say({"GET", "foo"}) == "-MOVED 12182 c:6379");
    CHECK(model.primary_of(slot_of_foo, "a") == "c");
    CHECK(c.say({"GET", "foo"}) == "-MOVED 12182 b:6379");
    let_messages_arrive();
    CHECK(a.say({"GET", "foo"}) == "-MOVED 12182 b:6379");
}

TEST_CASE_METHOD(three_nodes, "older news does not replace newer news", "[cluster_model]")
{
    model.move(slot_of_foo, "a");
    auto late = std::move(under_way);
    under_way.clear();
    model.move(slot_of_foo, "b");
    let_messages_arrive();
    CHECK(model.primary_of(slot_of_foo, "c") == "b");
    under_way = std::move(late);
    let_messages_arrive();
    for (auto const& name : model.names())
        CHECK(model.primary_of(slot_of_foo, name) == "b");
}

TEST_CASE_METHOD(three_nodes, "a slot may return to the node that had it", "[cluster_model]")
{
    c.say({"SET", "foo", "1"});
    model.move(slot_of_foo, "b");
    model.move(slot_of_foo, "c");
    CHECK(c.say({"GET", "foo"}) == "\"1\"");
    CHECK(b.say({"GET", "foo"}) == "-MOVED 12182 c:6379");
    let_messages_arrive();
    CHECK(c.say({"GET", "foo"}) == "\"1\"");
    model.move(slot_of_foo, "c");  // it has the slot already
    CHECK(under_way.empty());
}

TEST_CASE_METHOD(
    three_nodes, "PUBLISH reaches subscribers of all nodes, and counts those of its own", "[cluster_model]")
{
    a.say({"SUBSCRIBE", "news"});
    b.say({"SUBSCRIBE", "news"});
    a.me.received.clear();
    b.me.received.clear();
    CHECK(a.say({"PUBLISH", "news", "x"}) == "1");
    CHECK(a.me.received.size() == 1);
    CHECK(b.me.received.empty());  // the message is under way
    let_messages_arrive();
    CHECK(b.me.received.size() == 1);
    CHECK(a.me.received.size() == 1);
    CHECK(c.say({"PUBLISH", "news", "y"}) == "0");
    CHECK(c.say({"EVAL", "return redis.call('publish', 'news', 'z')", "0"}) == "0");
    let_messages_arrive();
    CHECK(a.me.received.size() == 3);
}

TEST_CASE_METHOD(three_nodes, "a sharded message reaches the subscribers of its slot's primary only", "[cluster_model]")
{
    CHECK(a.say({"SSUBSCRIBE", "foo"}) == "-MOVED 12182 c:6379");
    a.say({"SUBSCRIBE", "foo"});
    c.say({"SSUBSCRIBE", "foo"});
    a.me.received.clear();
    c.me.received.clear();
    CHECK(a.say({"SPUBLISH", "foo", "x"}) == "-MOVED 12182 c:6379");
    CHECK(c.say({"SPUBLISH", "foo", "x"}) == "1");
    CHECK(c.say({"EVAL", "return redis.call('spublish', 'foo', 'y')", "0"}) == "1");
    CHECK(c.say({"PUBLISH", "foo", "z"}) == "0");
    let_messages_arrive();
    CHECK((a.me.received.size() == 1 && c.me.received.size() == 2));
}

TEST_CASE_METHOD(three_nodes, "a slot that leaves a node ends the sharded subscriptions there", "[cluster_model]")
{
    c.say({"SSUBSCRIBE", "foo"});
    c.say({"SSUBSCRIBE", "a"});
    c.me.received.clear();
    model.move(slot_of_foo, "b");
    CHECK(c.me.received == lines{"[\"sunsubscribe\", \"foo\", 1]"});
    CHECK(b.say({"SPUBLISH", "foo", "x"}) == "0");
}

TEST_CASE_METHOD(three_nodes, "each node numbers its own connections and its own runs", "[cluster_model]")
{
    listener second;
    auto const id = a.model.connect(second);
    CHECK(id == a.id + 1);
    CHECK(b.say({"CLIENT", "KILL", "ID", std::to_string(id)}) == "0");
    CHECK(second.received.empty());
    CHECK(a.say({"CLIENT", "KILL", "ID", std::to_string(id)}) == "1");
    CHECK(second.received == lines{"killed"});
}

TEST_CASE_METHOD(three_nodes, "the cluster knows only the nodes that were added", "[cluster_model]")
{
    CHECK(model.names() == lines{"a", "b", "c"});
    CHECK_THROWS_AS(model.move(slot_of_foo, "d"), std::invalid_argument);
    CHECK_THROWS_AS(model.assign(0, 1, "d"), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::test
