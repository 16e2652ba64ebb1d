//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/router.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "unit/fake_session.hpp"

namespace holdfast::engine {
namespace router_test {

struct ignored_events final : shard_events {
    void on_open(shard& s) override { opened.push_back(&s); }
    void on_closed(shard&, closing const&) override {}
    void on_message(shard&, std::string_view) override {}
    void on_subscribed(shard&, std::string_view) override {}
    void on_unsubscribed(shard&, std::string_view) override {}
    void on_turn_end(shard&) override {}
    void on_slots(shard&, core::cluster_map const&) override {}
    void on_doubt(shard&, core::redirect const*) override {}

    std::vector<shard const*> opened;
};

// A router whose sessions the test sees, in the order in which they were made.
struct routed {
    std::shared_ptr<session> make(core::cluster_primary const& p)
    {
        made.push_back(p.name.empty() ? p.host : p.host + " " + p.name);
        return sessions.emplace_back(std::make_shared<fake_session>());
    }

    log lines;
    ignored_events events;
    shard first{std::make_shared<fake_session>(), lines};
    std::vector<std::string> made;
    std::vector<std::shared_ptr<fake_session>> sessions;
    routed() { made_router.start(events); }
    router made_router{first, [this](auto const& p) { return make(p); }, lines};
};

core::cluster_map const two{
    .primaries = {{"a", "host-a", 1}, {"b", "host-b", 2}}, .ranges = {{0, 99, 0}, {200, 16383, 1}}};

// ---- empty

TEST_CASE_METHOD(routed, "router: without a map all slots are at the first shard", "[router][cluster]")
{
    CHECK(&made_router.of(0) == &first);
    CHECK(made_router.find(16383) == &first);
    CHECK(made.empty());
    made_router.stop();
    CHECK(&made_router.of(0) == &first);
    CHECK(made_router.find(0) == &first);
}

// ---- routed

TEST_CASE_METHOD(routed, "router: a session starts when a slot of its primary is asked for", "[router][cluster]")
{
    made_router.take(two);
    CHECK(made.empty());
    CHECK(made_router.find(0) == nullptr);
    auto& b = made_router.of(16383);
    CHECK(made == std::vector<std::string>{"host-b"});
    CHECK(sessions[0]->events);
    CHECK(&made_router.of(200) == &b);
    CHECK(made_router.find(200) == &b);
    CHECK(&b != &first);
    auto& a = made_router.of(99);
    CHECK(&a != &b);
    CHECK(made == std::vector<std::string>{"host-b", "host-a"});
}

TEST_CASE_METHOD(routed, "router: a slot without a primary is at the first shard", "[router][cluster]")
{
    made_router.take(two);
    CHECK(&made_router.of(100) == &first);
    CHECK(made_router.find(199) == &first);
    CHECK(made.empty());
}

TEST_CASE_METHOD(routed, "router: the events of a session come with its shard", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    sessions[0]->events->on_open();
    CHECK(events.opened == std::vector<shard const*>{&a});
}

TEST_CASE_METHOD(routed, "router: a new map moves slots, and the shards of known nodes stay", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    made_router.take({.primaries = {{"c", "host-c", 3}, {"a", "host-a", 1}}, .ranges = {{0, 0, 0}, {1, 16383, 1}}});
    CHECK(&made_router.of(1) == &a);
    CHECK(&made_router.of(16383) == &a);
    CHECK(made == std::vector<std::string>{"host-a"});
    CHECK(&made_router.of(0) != &a);
    CHECK(made == std::vector<std::string>{"host-a", "host-c"});
}

TEST_CASE_METHOD(routed, "router: a node that was not used yet is reached at its latest address", "[router][cluster]")
{
    made_router.take(two);
    made_router.take({.primaries = {{"a", "elsewhere", 4}}, .ranges = {{0, 16383, 0}}});
    made_router.of(0);
    CHECK(made == std::vector<std::string>{"elsewhere"});
}

TEST_CASE_METHOD(routed, "router: ASK starts a session to the importing node, and moves no slot", "[router][cluster]")
{
    made_router.take(two);
    core::redirect const ask{.slot = 0, .host = "host-b", .port = 2};
    auto* const b = made_router.importing(ask);
    REQUIRE(b);
    CHECK(made == std::vector<std::string>{"host-b"});
    CHECK(b == &made_router.of(200));
    CHECK(&made_router.of(0) != b);
    CHECK(made_router.importing({.slot = 0, .host = "", .port = 2}) == nullptr);
    made_router.stop();
    CHECK(made_router.importing(ask) == nullptr);
}

TEST_CASE_METHOD(routed, "router: a node of which MOVED told has the host name of the next map", "[router][cluster]")
{
    core::cluster_map const map{
        .primaries = {{"a", "10.0.0.1", 1, "a.example"}, {"b", "10.0.0.2", 2, "b.example"}},
        .ranges = {{0, 99, 0}, {100, 16383, 1}}};
    made_router.take({.primaries = {{"a", "10.0.0.1", 1, "a.example"}}, .ranges = {{0, 16383, 0}}});
    made_router.redirect({.slot = 200, .host = "10.0.0.2", .port = 2}, made_router.of(200));
    auto& unnamed = made_router.of(200);
    CHECK(made_router.take(map).test(200));
    auto& named = made_router.of(200);
    CHECK(&named != &unnamed);
    CHECK(made == std::vector<std::string>{"10.0.0.1 a.example", "10.0.0.2", "10.0.0.2 b.example"});
    CHECK(made_router.take(map).none());
    CHECK(made_router.redirect({.slot = 0, .host = "10.0.0.2", .port = 2}, made_router.of(0)).test(0));
    CHECK(&made_router.of(0) == &named);
}

TEST_CASE_METHOD(routed, "router: a node without an id is known by its address", "[router][cluster]")
{
    made_router.take({.primaries = {{"", "h", 1}, {"", "h", 2}}, .ranges = {{0, 99, 0}, {100, 16383, 1}}});
    auto& x = made_router.of(0);
    CHECK(&made_router.of(100) != &x);
    made_router.take({.primaries = {{"", "h", 2}, {"", "h", 1}}, .ranges = {{0, 99, 0}, {100, 16383, 1}}});
    CHECK(&made_router.of(100) == &x);
    CHECK(made.size() == 2);
}

TEST_CASE_METHOD(routed, "router: only started shards are visited", "[router][cluster]")
{
    made_router.take(two);
    auto& b = made_router.of(200);
    std::vector<shard const*> visited;
    made_router.for_each([&](shard& s) { visited.push_back(&s); });
    CHECK(visited == std::vector<shard const*>{&b});
}

TEST_CASE_METHOD(routed, "router: a map tells which slots have another primary", "[router][cluster]")
{
    CHECK(made_router.take(two).count() == 100 + 16184);
    CHECK(made_router.take(two).none());
    auto const moved = made_router.take(
        {.primaries = {{"a", "host-a", 1}, {"b", "host-b", 2}}, .ranges = {{0, 98, 0}, {99, 99, 1}, {200, 16383, 1}}});
    CHECK(moved.count() == 1);
    CHECK(moved[99]);
}

TEST_CASE_METHOD(routed, "router: a slot that a map leaves without a primary keeps the last one", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    CHECK(made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{100, 16383, 1 - 1}}}).count() == 100);
    CHECK(&made_router.of(0) == &a);
}

// Slot 5 is at the node a, and MOVED gives it to b.
core::redirect const to_b{.slot = 5, .host = "host-b", .port = 2};
core::redirect const back_to_a{.slot = 5, .host = "host-a", .port = 1};

TEST_CASE_METHOD(routed, "router: MOVED gives one slot to another node at once", "[router][cluster]")
{
    made_router.take(two);
    auto& b = made_router.of(200);
    auto const moved = made_router.redirect(to_b, made_router.of(5));
    CHECK(moved.count() == 1);
    CHECK(moved[5]);
    CHECK(&made_router.of(5) == &b);
    CHECK(&made_router.of(6) != &b);
}

TEST_CASE_METHOD(routed, "router: MOVED of a node that is not the primary changes nothing", "[router][cluster]")
{
    made_router.take(two);
    CHECK(made_router.redirect(to_b, made_router.of(200)).none());
    CHECK(made_router.redirect(to_b, first).none());
    CHECK(made_router.redirect({.slot = 150, .host = "host-b", .port = 2}, first).test(150));
}

TEST_CASE_METHOD(
    routed, "router: MOVED is followed once for a slot while two nodes name each other", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(5);
    auto& b = made_router.of(200);
    CHECK(made_router.redirect(to_b, a).count() == 1);
    CHECK(made_router.redirect(back_to_a, b).none());
    CHECK(made_router.redirect({.slot = 6, .host = "host-b", .port = 2}, a).count() == 1);
    CHECK(made_router.take(two).test(5));
    CHECK(&made_router.of(5) == &a);
    CHECK(made_router.redirect(to_b, a).count() == 1);
}

TEST_CASE_METHOD(routed, "router: MOVED stands against maps that name the node which sent it", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(5);
    auto& b = made_router.of(200);
    made_router.redirect(to_b, a);
    for (int i = 0; i < 3; ++i)
        CHECK(made_router.take(two).none());
    CHECK(&made_router.of(5) == &b);
    CHECK(made_router.redirect(back_to_a, b).test(5));
    CHECK(&made_router.of(5) == &a);
}

TEST_CASE_METHOD(routed, "router: after a map that agrees with MOVED, the next map counts", "[router][cluster]")
{
    made_router.take(two);
    made_router.redirect(to_b, made_router.of(5));
    CHECK(made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{5, 5, 0}}}).none());
    CHECK(made_router.take(two).test(5));
}

TEST_CASE_METHOD(routed, "router: a map of a third node stands against MOVED", "[router][cluster]")
{
    made_router.take(two);
    made_router.redirect(to_b, made_router.of(5));
    CHECK(made_router.take({.primaries = {{"c", "host-c", 3}}, .ranges = {{5, 5, 0}}}).test(5));
    made_router.of(5);
    CHECK(made.back() == "host-c");
}

TEST_CASE_METHOD(
    routed, "router: the next map counts if the node that MOVED has named is in doubt", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(5);
    auto& b = made_router.of(200);
    made_router.redirect(to_b, a);
    made_router.doubt(a);
    CHECK(made_router.take(two).none());
    made_router.doubt(b);
    CHECK(&made_router.of(5) == &b);
    CHECK(made_router.take(two).test(5));
    CHECK(&made_router.of(5) == &a);
}

TEST_CASE_METHOD(routed, "router: MOVED makes a node known, whose id the next map tells", "[router][cluster]")
{
    made_router.take(two);
    made_router.redirect({.slot = 5, .host = "host-c", .port = 3}, made_router.of(5));
    auto& c = made_router.of(5);
    CHECK(made == std::vector<std::string>{"host-a", "host-c"});
    auto const moved = made_router.take(
        {.primaries = {{"a", "host-a", 1}, {"c", "host-c", 3}}, .ranges = {{0, 4, 0}, {5, 5, 1}, {6, 16383, 0}}});
    CHECK_FALSE(moved[5]);
    CHECK(&made_router.of(5) == &c);
    made_router.take({.primaries = {{"c", "elsewhere", 4}}, .ranges = {{0, 16383, 0}}});
    made_router.of(0);
    CHECK(made == std::vector<std::string>{"host-a", "host-c", "elsewhere"});
}

// ---- a node changes its address

core::cluster_map const a_elsewhere{
    .primaries = {{"a", "elsewhere", 4}, {"b", "host-b", 2}}, .ranges = {{0, 99, 0}, {200, 16383, 1}}};

core::slot_set const slots_of_a = [] {
    core::slot_set slots;
    for (std::size_t i = 0; i != 100; ++i)
        slots.set(i);
    return slots;
}();

TEST_CASE("router: an open connection stays at a former address until it fails or is silent", "[router][cluster]")
{
    using enum shard_place;
    auto const at_all = [](shard_place p) {
        return std::vector{next(p, place_event::mapped), next(p, place_event::doubted), next(p, place_event::closed)};
    };
    constexpr auto keep = place_step::keep;
    constexpr auto retire = place_step::retire;
    CHECK(at_all(current) == std::vector{keep, keep, keep});
    CHECK(at_all(former) == std::vector{retire, retire, retire});
    CHECK(at_all(former_open) == std::vector{keep, place_step::drop, retire});
    CHECK(at_all(unused) == std::vector{keep, keep, retire});
}

TEST_CASE_METHOD(routed, "router: a node that is not reached is sought at its new address", "[router][cluster]")
{
    made_router.take(two);
    auto& former = made_router.of(0);
    CHECK(made_router.take(a_elsewhere) == slots_of_a);
    CHECK(sessions[0]->is_stopped);
    CHECK(made_router.find(0) == nullptr);
    CHECK(&made_router.of(0) != &former);
    CHECK(made == std::vector<std::string>{"host-a", "elsewhere"});
    CHECK(made_router.take(a_elsewhere).none());
    CHECK_FALSE(sessions[1]->is_stopped);
}

TEST_CASE_METHOD(routed, "router: a node that is reached stays where it is until its epoch ends", "[router][cluster]")
{
    made_router.take(two);
    auto& former = made_router.of(0);
    sessions[0]->events->on_open();
    sessions[0]->last.number = 7;
    CHECK(made_router.take(a_elsewhere).none());
    CHECK(&made_router.of(0) == &former);
    sessions[0]->events->on_closed({});
    CHECK(made_router.on_closed(former) == slots_of_a);
    CHECK(sessions[0]->is_stopped);
    made_router.of(0);
    CHECK(made == std::vector<std::string>{"host-a", "elsewhere"});
    CHECK(sessions[1]->followed.number == 7);
}

// Its commands have no outcome before.
TEST_CASE_METHOD(routed, "router: a silent connection to a former address is dropped first", "[router][cluster]")
{
    made_router.take(two);
    auto& former = made_router.of(0);
    sessions[0]->events->on_open();
    made_router.doubt(former);
    CHECK(sessions[0]->drops == 0);
    made_router.take(a_elsewhere);
    CHECK(made_router.doubt(former).none());
    CHECK(sessions[0]->drops == 1);
    CHECK_FALSE(sessions[0]->is_stopped);
    CHECK(&made_router.of(0) == &former);
    sessions[0]->open = false;  // the event follows
    CHECK(made_router.take(a_elsewhere).none());
    CHECK_FALSE(sessions[0]->is_stopped);
}

TEST_CASE_METHOD(routed, "router: two nodes that change their addresses with each other", "[router][cluster]")
{
    made_router.take(two);
    made_router.of(0);
    made_router.of(200);
    auto const moved = made_router.take(
        {.primaries = {{"a", "host-b", 2}, {"b", "host-a", 1}}, .ranges = {{0, 99, 0}, {200, 16383, 1}}});
    CHECK(moved.count() == 100 + 16184);
    auto& a = made_router.of(0);
    CHECK(made.back() == "host-b");
    auto& b = made_router.of(200);
    CHECK(made.back() == "host-a");
    CHECK(made_router.importing({.slot = 0, .host = "host-a", .port = 1}) == &b);
    CHECK(&a != &b);
}

TEST_CASE_METHOD(
    routed, "router: a node that MOVED has named is the known one that the next map has there", "[router][cluster]")
{
    made_router.take(two);
    made_router.of(0);
    made_router.redirect({.slot = 200, .host = "elsewhere", .port = 4}, made_router.of(200));
    auto& unnamed = made_router.of(200);
    CHECK(made.back() == "elsewhere");
    sessions.back()->events->on_open();
    sessions.back()->last.number = 9;
    auto expected = slots_of_a;
    expected.set(200);
    CHECK(made_router.take(a_elsewhere) == expected);
    auto& a = made_router.of(200);
    CHECK(&made_router.of(0) == &a);
    CHECK(&a != &unnamed);
    CHECK(made_router.have_same_primary(0, 200));
    // What that connection still carries is executed before the commands of the next one.
    CHECK(sessions.back()->followed.number == 9);
    CHECK_FALSE(sessions[sessions.size() - 2]->is_stopped);
    made_router.on_closed(unnamed);
    CHECK(sessions[sessions.size() - 2]->is_stopped);
    // The node that has sent the MOVED is named by an older map: it counts no more than before.
    CHECK(made_router.take(a_elsewhere).none());
}

TEST_CASE_METHOD(routed, "router: a node at a new address is no new primary of its slots", "[router][cluster]")
{
    core::instant const start{std::chrono::seconds(100)};
    made_router.record(made_router.take(two), start);
    made_router.of(0);
    sessions[0]->identity_of_server.running_since = {};
    made_router.record(made_router.of(0));
    auto const before = made_router.records().server_of(0);
    made_router.record(made_router.take(a_elsewhere), start + std::chrono::seconds(50));
    CHECK(made_router.records().server_of(0)->running_since == before->running_since);
    CHECK(made_router.records().nodes()->at("a") == "elsewhere:4");
}

// ---- a node without slots

TEST_CASE_METHOD(routed, "router: a node without slots is left when its connection is lost", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    made_router.on_closed(a);
    CHECK_FALSE(sessions[0]->is_stopped);
    made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{0, 16383, 0}}});
    CHECK_FALSE(sessions[0]->is_stopped);
    made_router.on_closed(a);
    CHECK(sessions[0]->is_stopped);
    made_router.take(two);
    made_router.of(0);
    CHECK(made == std::vector<std::string>{"host-a", "host-a"});
}

// The server may still read from the last connection (rule 8).
TEST_CASE_METHOD(
    routed,
    "router: the next session to a node that has slots again ends the last connection first",
    "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    CHECK(sessions[0]->followed.number == 0);
    sessions[0]->last.number = 7;
    made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{0, 16383, 0}}});
    made_router.on_closed(a);
    made_router.take(two);
    made_router.of(0);
    CHECK(sessions.at(1)->followed.number == 7);
}

TEST_CASE_METHOD(
    routed, "router: each primary that has slots is named by one of them, and none is started", "[router][cluster]")
{
    CHECK(made_router.slot_of_each() == std::vector<std::uint16_t>{0});
    CHECK(made_router.have_same_primary(0, 16383));
    made_router.take(two);
    CHECK(made_router.slot_of_each() == std::vector<std::uint16_t>{0, 200});
    CHECK(made_router.have_same_primary(0, 99));
    CHECK_FALSE(made_router.have_same_primary(99, 200));
    made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{0, 16383, 0}}});
    CHECK(made_router.slot_of_each() == std::vector<std::uint16_t>{0});
    CHECK(made.empty());
}

// ---- a retired shard

TEST_CASE_METHOD(routed, "router: a retired shard lives until the next map", "[router][cluster]")
{
    made_router.take(two);
    auto& former = made_router.of(0);
    auto const id = former.id();
    CHECK(made_router.take(a_elsewhere) == slots_of_a);
    std::weak_ptr<fake_session> const retired = std::exchange(sessions[0], nullptr);
    CHECK_FALSE(retired.expired());
    CHECK(made_router.find(id) == nullptr);
    CHECK(made_router.id_of(0) == id);
    CHECK(made_router.slots_of(id) == slots_of_a);
    auto& at_new_address = made_router.of(0);
    CHECK(at_new_address.id() == id);
    CHECK(made_router.find(id) == &at_new_address);
    CHECK(made_router.take(a_elsewhere).none());
    CHECK(retired.expired());
}

TEST_CASE_METHOD(routed, "router: after many changes there are no more sessions than nodes", "[router][cluster]")
{
    std::vector<std::weak_ptr<fake_session>> all;
    for (std::uint16_t port = 1; port <= 100; ++port) {
        made_router.take({.primaries = {{"a", "host-a", port}, {"b", "host-b", 2}}, .ranges = {{0, 99, 0}}});
        made_router.of(0);
        all.push_back(std::exchange(sessions.back(), nullptr));
        all.back().lock()->events->on_open();
        all.back().lock()->events->on_closed({});
        made_router.on_closed(made_router.of(0));
    }
    CHECK(all.size() == 100);
    CHECK(std::ranges::count_if(all, [](auto const& s) { return !s.expired(); }) <= 2);
}

// ---- stopped

TEST_CASE_METHOD(routed, "router: after stop() no session starts, and the map stays", "[router][cluster]")
{
    made_router.take(two);
    auto& a = made_router.of(0);
    made_router.stop();
    made_router.stop();
    CHECK(sessions[0]->is_stopped);
    CHECK(&made_router.of(0) == &a);
    CHECK(made_router.find(0) == &a);
    CHECK(&made_router.of(200) == &first);
    CHECK(made_router.find(200) == nullptr);
    made_router.take({.primaries = {{"b", "host-b", 2}}, .ranges = {{0, 16383, 0}}});
    CHECK(&made_router.of(0) == &a);
    CHECK(made.size() == 1);
}

}  // namespace router_test
}  // namespace holdfast::engine
