//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The model of a cluster redirects and refuses as a cluster of two servers does, before and after a slot has moved.

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "engine/port/refusal.hpp"
#include "sim/cluster_model.hpp"
#include "sim/sha1.hpp"
#include "support/cluster_node.hpp"
#include "support/trace.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using simulated::value;

constexpr std::uint16_t slot_of_foo = 12182;
std::string const counts = "return redis.call('incr', KEYS[1])";

bool comes_true(std::function<bool()> const& holds)
{
    for (int i = 0; i < 2'000 && !holds(); ++i)
        std::this_thread::sleep_for(10ms);
    return holds();
}

// One node: a server, and its part of the model.
struct node {
    struct nobody final : simulated::peer {
        void on_push(value const&) override {}
        void on_kill() override {}
    };

    explicit node(std::string n) : name(std::move(n)) {}

    std::string port() const { return std::to_string(server.port()); }
    std::string id() { return server.command({"CLUSTER", "MYID"}).text; }

    std::string const name;
    cluster_node server;
    simulated::redis_model model;
    nobody listener;
    simulated::connection_id connection = model.connect(listener);
};

// Two primaries: `a` has the first half of the slots, `b` the rest, to which the key "foo" belongs.
class two_nodes {
public:
    two_nodes()
    {
        modelled_.add("a", a.model);
        modelled_.add("b", b.model);
        modelled_.assign(0, 8191, "a");
        modelled_.assign(8192, 16383, "b");
        add_slots(a, 0, 8191);
        add_slots(b, 8192, 16383);
        a.server.command({"CLUSTER", "MEET", "127.0.0.1", b.port()});
        REQUIRE(comes_true([this] { return is_ready(a) && is_ready(b); }));
    }

    // Sends the command to that node and to its model. The replies must agree.
    value say(node& to, std::vector<std::string> const& text)
    {
        std::vector<std::string_view> const views(text.begin(), text.end());
        auto said = to.server.command(text);
        auto const reply = to.model.execute(to.connection, views, wall_clock_us()).value_or(simulated::nil());
        INFO(to.name << ": " << to_line(views));
        if (!agree(said, reply))
            FAIL_CHECK("redis: " << to_string(said) << "\nmodel: " << to_string(reply));
        return said;
    }

    // Moves the slot of "foo" with its keys from b to a, as redis-cli does.
    void move_foo()
    {
        auto const slot = std::to_string(slot_of_foo);
        auto const to = a.id(), from = b.id();
        CHECK(a.server.command({"CLUSTER", "SETSLOT", slot, "IMPORTING", from}).text == "OK");
        CHECK(b.server.command({"CLUSTER", "SETSLOT", slot, "MIGRATING", to}).text == "OK");
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

    // The addresses in MOVED are those of the servers, and the names of the model. Of other errors it matters what the
    // client takes them for: Redis adds the place in the script to some of them.
    bool agree(value const& said, value const& modelled) const
    {
        if (!said.is_error() || !modelled.is_error())
            return same(said, modelled);
        if (engine::classify(said.text) != engine::refusal::moved)
            return engine::classify(said.text) == engine::classify(modelled.text);
        return said.text == with_port(with_port(modelled.text, a), b);
    }

    static std::string with_port(std::string text, node const& n)
    {
        auto const name = " " + n.name + ":6379";
        if (auto const at = text.find(name); at != text.npos)
            text.replace(at, name.size(), " 127.0.0.1:" + n.port());
        return text;
    }

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

}  // namespace
}  // namespace holdfast::test
