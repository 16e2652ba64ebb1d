//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The model of a cluster redirects and refuses as a cluster of two servers does, before, while and after a slot moves.

#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "engine/port/refusal.hpp"
#include "scripts_generated.hpp"
#include "sim/cluster_model.hpp"
#include "sim/sha1.hpp"
#include "support/child.hpp"
#include "support/cluster_node.hpp"
#include "support/resp_client.hpp"
#include "support/trace.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using simulated::value;

constexpr std::uint16_t slot_of_foo = 12182;
std::string const counts = "return redis.call('incr', KEYS[1])";

// One node: a server, and its part of the model.
struct node {
    struct nobody final : simulated::peer {
        void on_push(value const&) override {}
        void on_kill() override {}
    };

    explicit node(std::string n) : name(std::move(n)), real(server.socket_path(), resp_client::protocol::resp2) {}

    std::string port() const { return std::to_string(server.port()); }
    std::string id() { return server.command({"CLUSTER", "MYID"}).text; }

    std::string const name;
    cluster_node server;
    resp_client real;  // one connection: ASKING is a state of it
    simulated::redis_model model;
    nobody listener;
    simulated::connection_id connection = model.connect(listener);
};

// Two primaries: `a` has the first half of the slots, `b` the rest, to which the key "foo" belongs.
class two_nodes {
public:
    two_nodes()
    {
        if (a.server.info("redis_version").starts_with("6."))
            SKIP("the model has sharded messages, as Redis 7.0 has");
        modelled_.add("a", a.model);
        modelled_.add("b", b.model);
        modelled_.assign(0, 8191, "a");
        modelled_.assign(8192, 16383, "b");
        add_slots(a, 0, 8191);
        add_slots(b, 8192, 16383);
        a.server.command({"CLUSTER", "MEET", "127.0.0.1", b.port()});
        REQUIRE(wait_until([this] { return is_ready(a) && is_ready(b); }));
    }

    // Sends the command to that node and to its model. The replies must agree.
    value say(node& to, std::vector<std::string> const& text)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        auto said = to.real.command(text);
        auto const reply = to.model.execute(to.connection, views, wall_clock_us()).value_or(simulated::nil());
        INFO(to.name << ": " << to_line(views));
        if (!agree(said, reply))
            FAIL_CHECK("redis: " << to_string(said) << "\nmodel: " << to_string(reply));
        return said;
    }

    // To both nodes, and to the destination of a half-moved slot also behind ASKING.
    void say_everywhere(std::vector<std::string> const& text)
    {
        say(b, text);
        say(a, text);
        say(a, {"ASKING"});
        say(a, text);
    }

    // Moves the slot of "foo" with its keys from b to a, as redis-cli does.
    void move_foo()
    {
        begin_move();
        end_move();
    }

    void begin_move()
    {
        CHECK(a.server.command({"CLUSTER", "SETSLOT", slot, "IMPORTING", b.id()}).text == "OK");
        CHECK(b.server.command({"CLUSTER", "SETSLOT", slot, "MIGRATING", a.id()}).text == "OK");
        modelled_.begin_move(slot_of_foo, "a");
    }

    void move_key(std::string const& key)
    {
        CHECK(b.server.command({"MIGRATE", "127.0.0.1", a.port(), key, "0", "5000"}).text == "OK");
        CHECK(modelled_.move_key(key));
    }

    void end_move()
    {
        auto const to = a.id();
        for (auto const& key : b.server.command({"CLUSTER", "GETKEYSINSLOT", slot, "100"}).items)
            CHECK(b.server.command({"MIGRATE", "127.0.0.1", a.port(), key.text, "0", "5000"}).text == "OK");
        CHECK(a.server.command({"CLUSTER", "SETSLOT", slot, "NODE", to}).text == "OK");
        CHECK(b.server.command({"CLUSTER", "SETSLOT", slot, "NODE", to}).text == "OK");
        modelled_.move(slot_of_foo, "a");
    }

    node a{"a"}, b{"b"};

private:
    static void add_slots(node& n, int first, int last)
    {
        std::vector<std::string> add{"CLUSTER", "ADDSLOTS"};
        for (int slot = first; slot <= last; ++slot)
            add.push_back(std::to_string(slot));
        CHECK(n.server.command(add).text == "OK");
    }

    static bool is_ready(node& n)
    {
        auto const info = n.server.command({"CLUSTER", "INFO"}).text;
        return info.find("cluster_state:ok") != info.npos && info.find("cluster_slots_assigned:16384") != info.npos;
    }

    // The addresses in MOVED and ASK are those of the servers, and the names of the model. Of other errors it matters
    // what the client takes them for: Redis adds the place in the script to some of them.
    bool agree(value const& said, value const& modelled) const
    {
        if (!said.is_error() || !modelled.is_error())
            return same(said, modelled);
        auto const why = engine::classify(said.text);
        if (why != engine::refusal::moved && why != engine::refusal::ask)
            return why == engine::classify(modelled.text);
        return said.text == with_port(with_port(modelled.text, a), b);
    }

    static std::string with_port(std::string text, node const& n)
    {
        auto const name = " " + n.name + ":6379";
        if (auto const at = text.find(name); at != text.npos)
            text.replace(at, name.size(), " 127.0.0.1:" + n.port());
        return text;
    }

    std::string const slot = std::to_string(slot_of_foo);
    simulated::cluster_model modelled_;
};

TEST_CASE_METHOD(two_nodes, "a command for another node's slot is redirected before all other checks", "[cluster]")
{
    for (auto* const to : {&a, &b}) {
        say(*to, {"SET", "foo", "1", "NX", "PX", "50000"});
        say(*to, {"PTTL", "foo"});
        say(*to, {"EVALSHA", simulated::sha1(counts), "1", "foo"});
        say(*to, {"EVAL", counts, "1", "{foo}:n"});
        say(*to, {"EVALSHA", simulated::sha1(counts), "1", "{foo}:n"});
        say(*to, {"EVAL", "return 7", "0"});
        say(*to, {"DEL", "foo", "bar"});
        say(*to, {"EVAL", counts, "2", "foo", "bar"});
        say(*to, {"GET", "foo", "too many words"});
        say(*to, {"PUBLISH", "news", "x"});
        say(*to, {"SPUBLISH", "foo", "x"});
        say(*to, {"EVAL", "return redis.call('spublish', '{foo}:c', 'x')", "1", "foo"});
    }
}

TEST_CASE_METHOD(two_nodes, "a script that touches a key of another node fails in the middle", "[cluster]")
{
    auto const text = "redis.call('set', KEYS[1], 'written') return redis.call('get', 'bar')";
    auto const said = say(b, {"EVAL", text, "1", "foo"});
    CHECK(engine::classify(said.text) == engine::refusal::half_applied);
    CHECK(say(b, {"GET", "foo"}).text == "written");
}

TEST_CASE_METHOD(two_nodes, "a slot moves with its keys, and its former primary redirects", "[cluster]")
{
    say(b, {"SET", "foo", "1", "PX", "50000"});
    say(b, {"HSET", "{foo}:h", "f", "v"});
    say(b, {"EVAL", counts, "1", "{foo}:n"});
    move_foo();
    for (auto* const to : {&a, &b}) {
        say(*to, {"GET", "foo"});
        say(*to, {"PTTL", "foo"});
        say(*to, {"HGET", "{foo}:h", "f"});
        say(*to, {"PTTL", "{foo}:h"});
        say(*to, {"EVALSHA", simulated::sha1(counts), "1", "{foo}:n"});
        say(*to, {"DEL", "foo"});
    }
}

// Of three keys of one slot the first has moved, the second has not, and the third does not exist.
class half_moved : public two_nodes {
public:
    half_moved()
    {
        say(b, {"SET", moved, "m", "PX", "50000"});
        say(b, {"SET", stays, "s", "PX", "50000"});
        begin_move();
        move_key(moved);
    }

    static constexpr char const* moved = "{foo}:moved";
    static constexpr char const* stays = "{foo}:stays";
    static constexpr char const* none = "{foo}:none";
};

TEST_CASE_METHOD(half_moved, "a node of a half-moved slot executes commands for the keys that it has", "[cluster]")
{
    for (auto const* const key : {moved, stays, none}) {
        say_everywhere({"GET", key});
        say_everywhere({"PTTL", key});
        say_everywhere({"EVAL", "return redis.call('get', KEYS[1])", "1", key});
        say_everywhere({"EVALSHA", simulated::sha1(counts), "1", key});
        say_everywhere({"SPUBLISH", key, "x"});
    }
    say(b, {"SET", none, "n", "NX", "PX", "50000"});
    say(a, {"ASKING"});
    say(a, {"SET", none, "n", "NX", "PX", "50000"});
    say_everywhere({"SET", none, "o", "NX", "PX", "50000"});
    end_move();
    for (auto const* const key : {moved, stays, none})
        say_everywhere({"GET", key});
}

TEST_CASE_METHOD(half_moved, "several keys of a half-moved slot must all be at one node", "[cluster]")
{
    for (auto const* const one : {moved, stays, none})
        for (auto const* const two : {moved, stays, none}) {
            say_everywhere({"EXISTS", one, two});
            say_everywhere({"EVAL", "return redis.call('get', KEYS[2])", "2", one, two});
            say_everywhere({"EVALSHA", simulated::sha1(counts), "2", one, two});
        }
    for (auto const* const key : {moved, stays, none})
        say_everywhere({"EVAL", "return redis.call('get', KEYS[2])", "2", key, key});
    say_everywhere({"DEL", moved, stays});
    say_everywhere({"DEL", stays, none});
}

TEST_CASE_METHOD(half_moved, "ASKING holds for one command", "[cluster]")
{
    say(a, {"ASKING"});
    say(a, {"PING"});
    say(a, {"GET", moved});
    say(a, {"ASKING"});
    say(a, {"ASKING"});
    say(a, {"GET", moved});
    say(a, {"GET", moved});
    say(a, {"ASKING"});
    say(a, {"GET", "bar"});
    say(a, {"ASKING", "too many words"});
}

TEST_CASE_METHOD(half_moved, "a script in a half-moved slot fails at a key that the node does not have", "[cluster]")
{
    for (auto const* const declared : {moved, stays, none})
        for (auto const* const touched : {moved, stays, none}) {
            auto const writes = "redis.call('pexpire', KEYS[1], 60000) return redis.call('exists', '"
                                + std::string(touched) + "', KEYS[1])";
            say_everywhere({"EVAL", "return redis.call('get', '" + std::string(touched) + "')", "1", declared});
            say_everywhere({"EVAL", writes, "1", declared});
        }
}

TEST_CASE_METHOD(half_moved, "a script at the source cannot see or create a key that it has deleted", "[cluster]")
{
    say(b, {"EVAL", "redis.call('del', KEYS[1]) return redis.call('exists', KEYS[1])", "1", stays});
    say_everywhere({"EXISTS", stays});
    say(a, {"ASKING"});
    say(a, {"EVAL", "redis.call('del', KEYS[1]) redis.call('set', KEYS[1], 'new') return 1", "1", moved});
    say_everywhere({"GET", moved});
}

// The lock has moved, with the slot of one of two readers. A script of a read_write_lock that followed ASK would take
// the other one for dead: that is why it must not.
TEST_CASE_METHOD(two_nodes, "the scripts of a read_write_lock in a half-moved slot end as in Redis", "[cluster]")
{
    auto const read = std::string(engine::scripts::read_acquire.text);
    auto const leave = std::string(engine::scripts::read_release.text);
    auto const write = std::string(engine::scripts::write_acquire.text);
    auto const renew = std::string(engine::scripts::read_renew.text);
    auto const slot_of = [](std::string const& who) { return "{foo}:" + who + ":rwlock_timeout:1"; };
    for (std::string const who : {"x:1", "x:2"})
        say(b, {"EVAL", read, "3", "foo", slot_of(who), "{foo}:mark", who, "30000", "", "0"});
    // The first one is the longest, so that its release looks at the slot of the other one.
    say(b, {"PEXPIRE", slot_of("x:1"), "60000"});
    begin_move();
    auto const ask_all = [&] {
        say_everywhere({"EVAL", renew, "3", "foo", slot_of("x:1"), "{foo}:mark", "x:1", "30000"});
        say_everywhere(
            {"EVAL", write, "3", "foo", "{foo}:mark", "{foo}:turn", "x:3:write", "30000", "{foo}", "0", "0"});
        say_everywhere({"PTTL", "foo"});
        say_everywhere({"PTTL", slot_of("x:1")});
    };
    ask_all();
    move_key(slot_of("x:2"));
    ask_all();
    // At the source: half of it is done when it fails.
    auto const said = say(b, {"EVAL", leave, "2", "foo", slot_of("x:1"), "x:1", "channel", "{foo}"});
    CHECK(engine::classify(said.text) == engine::refusal::half_applied);
    ask_all();
    say_everywhere({"HGETALL", "foo"});
    move_key("foo");
    ask_all();
    end_move();
    ask_all();
}

}  // namespace
}  // namespace holdfast::test
