//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The model of replication: what a replica has, what WAIT replies, and what a failover loses.

#include "sim/replication.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "sim/redis_model.hpp"

namespace holdfast::test {
namespace {

using simulated::connection_id;
using simulated::redis_model;
using simulated::replication;

struct blocked_client final : simulated::peer {
    void on_push(simulated::value const&) override {}
    void on_kill() override { received.emplace_back("killed"); }
    void on_unblocked(simulated::value const& v) override { received.push_back(to_string(v)); }
    std::vector<std::string> received;
};

// A primary with two replicas, of which the test says what they have received and acknowledged.
struct primary {
    std::string say(std::initializer_list<std::string_view> text) { return say(id, text); }
    std::string say(connection_id from, std::initializer_list<std::string_view> text)
    {
        auto const reply = model.execute(from, {text.begin(), text.size()}, now_us);
        return reply ? to_string(*reply) : "none";
    }
    void bring(replication::replica r, replication::offset o)
    {
        model.replicas().receive(r, o);
        model.acknowledge(r, o);
    }
    std::vector<std::string> keys_of(replication::replica r)
    {
        auto data = model.replicas().data(r);
        return data.names();
    }

    redis_model model;
    blocked_client me, other;
    connection_id id = model.connect(me);
    connection_id other_id = model.connect(other);
    std::int64_t now_us = 1'800'000'000'123'456;
    replication::replica first = model.replicas().attach(model.keys());
    replication::replica second = model.replicas().attach(model.keys());
};

using names = std::vector<std::string>;

TEST_CASE_METHOD(primary, "a replica has all writes up to the one that it has received last", "[replication]")
{
    say({"SET", "a", "1"});
    say({"SET", "b", "1"});
    say({"DEL", "a"});
    CHECK(model.replicas().written() == 3);
    CHECK(keys_of(first).empty());
    model.replicas().receive(first, 2);
    CHECK(keys_of(first) == names{"a", "b"});
    model.replicas().receive(first, 1);  // older than what it has
    CHECK(keys_of(first) == names{"a", "b"});
    model.replicas().receive(first, 3);
    CHECK(keys_of(first) == names{"b"});
    CHECK(keys_of(second).empty());
}

TEST_CASE_METHOD(primary, "reads and refused writes are no writes, a script that writes is one", "[replication]")
{
    say({"GET", "a"});
    say({"LPUSH", "a"});
    say({"EVAL", "return redis.call('get', KEYS[1])", "1", "a"});
    CHECK(model.replicas().written() == 0);
    say({"EVAL", "redis.call('set', KEYS[1], 1) return redis.call('get', KEYS[1])", "1", "a"});
    CHECK(model.replicas().written() == 1);
}

TEST_CASE_METHOD(primary, "the stream gets each write once for each attached replica", "[replication]")
{
    std::vector<std::pair<replication::replica, replication::offset>> sent;
    model.replicas().stream_to([&](auto r, auto o) { sent.emplace_back(r, o); });
    say({"SET", "a", "1"});
    model.replicas().detach(first);
    say({"SET", "a", "2"});
    using sends = decltype(sent);
    CHECK(sent == sends{{first, 1}, {second, 1}, {second, 2}});
}

TEST_CASE_METHOD(primary, "a detached replica keeps what it has, and does not count", "[replication]")
{
    say({"SET", "a", "1"});
    bring(first, 1);
    CHECK(model.replicas().acknowledged(1) == 1);
    model.replicas().detach(first);
    CHECK(model.replicas().acknowledged(1) == 0);
    say({"SET", "b", "1"});
    bring(first, 2);
    CHECK(model.replicas().acknowledged(2) == 0);
    CHECK(keys_of(first) == names{"a"});
    auto const again = model.replicas().attach(model.keys());
    CHECK(model.replicas().acknowledged(2) == 1);
    CHECK(keys_of(again) == names{"a", "b"});
}

TEST_CASE_METHOD(primary, "a replica cannot acknowledge what it has not received", "[replication]")
{
    say({"SET", "a", "1"});
    model.acknowledge(first, 1);
    CHECK(model.replicas().acknowledged(1) == 0);
}

TEST_CASE_METHOD(primary, "WAIT replies at once when enough replicas have acknowledged", "[replication]")
{
    say({"SET", "a", "1"});
    bring(first, 1);
    CHECK(say({"WAIT", "1", "100"}) == "1");
    bring(second, 1);
    CHECK(say({"WAIT", "1", "100"}) == "2");
    CHECK(say({"WAIT", "0", "100"}) == "2");
}

TEST_CASE_METHOD(primary, "WAIT blocks its connection until enough replicas have acknowledged", "[replication]")
{
    say({"SET", "a", "1"});
    CHECK(say({"WAIT", "2", "100"}) == "none");
    REQUIRE(model.blocked(id));
    CHECK(model.blocked(id)->timeout_ms == 100);
    CHECK(!model.blocked(other_id));
    bring(second, 1);
    CHECK(me.received.empty());
    bring(first, 1);
    CHECK(me.received == names{"2"});
    CHECK(!model.blocked(id));
}

TEST_CASE_METHOD(primary, "a WAIT that takes too long replies how many have acknowledged", "[replication]")
{
    say({"SET", "a", "1"});
    say({"WAIT", "2", "100"});
    auto const number = model.blocked(id)->number;
    bring(second, 1);
    model.end_wait(id, number + 1);  // another one
    CHECK(me.received.empty());
    model.end_wait(id, number);
    CHECK(me.received == names{"1"});
    model.end_wait(id, number);
    CHECK(me.received == names{"1"});
}

TEST_CASE_METHOD(primary, "WAIT counts the last write of its own connection only", "[replication]")
{
    say({"SET", "a", "1"});
    CHECK(say(other_id, {"WAIT", "2", "100"}) == "2");
    say(other_id, {"SET", "b", "1"});
    CHECK(say(other_id, {"WAIT", "2", "100"}) == "none");
    bring(first, 1);
    bring(second, 1);
    CHECK(other.received.empty());
    bring(first, 2);
    bring(second, 2);
    CHECK(other.received == names{"2"});
    CHECK(say({"WAIT", "2", "100"}) == "2");
}

TEST_CASE_METHOD(primary, "a demoted server ends its WAITs with their connections, and refuses writes", "[replication]")
{
    say({"SET", "a", "1"});
    say({"WAIT", "1", "100"});
    model.demote();
    REQUIRE(me.received.size() == 2);
    CHECK(me.received[0].starts_with("-UNBLOCKED"));
    CHECK(me.received[1] == "killed");
    CHECK(other.received.empty());
    CHECK(say(other_id, {"SET", "a", "2"}).starts_with("-READONLY"));
    CHECK(say(other_id, {"WAIT", "0", "100"}).starts_with("-ERR WAIT cannot be used with replica instances"));
    CHECK(!model.replicas().is_attached(first));
}

TEST_CASE_METHOD(primary, "a promoted server has the data of the replica, and no scripts", "[replication]")
{
    say({"SET", "a", "1", "PX", "5000"});
    bring(first, 1);
    say({"SET", "b", "1"});
    primary next;
    next.model.demote();
    next.say({"EVAL", "return 1", "0"});
    next.model.promote(model.replicas().data(first));
    CHECK(next.say({"GET", "a"}) == "\"1\"");
    CHECK(next.say({"PTTL", "a"}) == "5000");
    CHECK(next.say({"GET", "b"}) == "nil");
    CHECK(next.say({"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"}).starts_with("-NOSCRIPT"));
    CHECK(next.say({"SET", "b", "2"}) == "OK");
}

TEST_CASE("a server in memory acknowledges each write at once, for so many replicas as are asked for", "[replication]")
{
    primary alone;
    alone.model.replicas().detach_all();
    alone.model.assume_replicas(true);
    alone.say({"SET", "a", "1"});
    CHECK(alone.say({"WAIT", "3", "100"}) == "3");
}

}  // namespace
}  // namespace holdfast::test
