//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <deque>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/hash_slot.hpp"
#include "session/cluster_slots.hpp"

namespace holdfast::session {
namespace session_cluster_slots_test {

using engine::reply;

reply number(std::int64_t n)
{
    return {.type = reply::kind::integer, .integer = n};
}

reply text(std::string_view t)
{
    return {.type = reply::kind::text, .text = t};
}

// Builds replies, and keeps their items.
struct builder {
    reply list(std::vector<reply> items)
    {
        return {.type = reply::kind::array, .items = lists.emplace_back(std::move(items))};
    }
    reply node(std::string_view id, std::int64_t port = 6379)
    {
        return list({text("127.0.0.1"), number(port), text(id), list({})});
    }
    reply range(std::int64_t first, std::int64_t last, std::string_view id)
    {
        return list({number(first), number(last), node(id)});
    }

    std::deque<std::vector<reply>> lists;
};

TEST_CASE("CLUSTER SLOTS: one primary may have all slots in several ranges", "[session][cluster]")
{
    builder b;
    auto const whole = read_cluster_slots(b.list({b.range(0, 16383, "a")}));
    REQUIRE(whole);
    CHECK(whole->is_one_node());
    auto const parts = read_cluster_slots(b.list({b.range(8000, 16383, "a"), b.range(0, 7999, "a")}));
    REQUIRE(parts);
    CHECK(parts->is_one_node());
}

TEST_CASE("CLUSTER SLOTS: a host that a log must not contain is refused", "[session][cluster]")
{
    builder b;
    auto const forged = b.list({text("a\nb"), number(6379), text("id"), b.list({})});
    CHECK_FALSE(read_cluster_slots(b.list({b.list({number(0), number(16383), forged})})));
}

TEST_CASE("CLUSTER SLOTS: a node may announce the host name of its certificate", "[session][cluster]")
{
    builder b;
    auto const named = [&](std::string_view name) {
        auto const metadata = b.list({text("ip"), text("10.0.0.1"), text("hostname"), text(name)});
        auto const node = b.list({text("127.0.0.1"), number(6379), text("id"), metadata});
        return read_cluster_slots(b.list({b.list({number(0), number(16383), node})}));
    };
    REQUIRE(named("a.example"));
    CHECK(named("a.example")->primaries[0].name == "a.example");
    CHECK_FALSE(named("a\nb"));
}

TEST_CASE("CLUSTER SLOTS: replicas are not counted", "[session][cluster]")
{
    builder b;
    auto const s = read_cluster_slots(
        b.list({b.list({number(0), number(16383), b.node("a"), b.node("b"), b.node("c")})}));
    REQUIRE(s);
    CHECK(s->is_one_node());
}

TEST_CASE("CLUSTER SLOTS: replicas are named once each, with their addresses", "[session][cluster]")
{
    builder b;
    auto const s = read_cluster_slots(b.list(
        {b.list({number(0), number(99), b.node("a"), b.node("r", 7000), b.node("q", 7001)}),
         b.list({number(100), number(16383), b.node("a"), b.node("r", 7000)})}));
    REQUIRE(s);
    CHECK(s->primaries == std::vector<core::cluster_primary>{{"a", "127.0.0.1", 6379}});
    CHECK(s->replicas == std::vector<core::cluster_primary>{{"r", "127.0.0.1", 7000}, {"q", "127.0.0.1", 7001}});
    auto const old = read_cluster_slots(b.list({b.list(
        {number(0),
         number(16383),
         b.list({text("h"), number(1)}),
         b.list({text("h"), number(2)}),
         b.list({text("h"), number(2)})})}));
    REQUIRE(old);
    CHECK(old->replicas == std::vector<core::cluster_primary>{{"", "h", 2}});
}

TEST_CASE("CLUSTER SLOTS: primaries are counted once each, and missing slots are noticed", "[session][cluster]")
{
    builder b;
    auto const three = read_cluster_slots(
        b.list({b.range(0, 99, "a"), b.range(100, 199, "b"), b.range(200, 300, "a"), b.range(301, 16383, "c")}));
    REQUIRE(three);
    CHECK(three->primaries.size() == 3);
    CHECK(three->covered_slots() == 16384);
    CHECK_FALSE(three->is_one_node());

    auto const half = read_cluster_slots(b.list({b.range(0, 8191, "a")}));
    REQUIRE(half);
    CHECK(half->primaries.size() == 1);
    CHECK(half->covered_slots() == 8192);
    CHECK_FALSE(half->is_one_node());

    auto const none = read_cluster_slots(b.list({}));
    REQUIRE(none);
    CHECK(none->primaries.size() == 0);
    CHECK(none->covered_slots() == 0);
    CHECK_FALSE(none->is_one_node());
}

TEST_CASE("CLUSTER SLOTS: overlapping ranges are counted once", "[session][cluster]")
{
    builder b;
    auto const same = read_cluster_slots(b.list({b.range(0, 8191, "a"), b.range(0, 8191, "a")}));
    REQUIRE(same);
    CHECK(same->covered_slots() == 8192);
    CHECK_FALSE(same->is_one_node());
    auto const two = read_cluster_slots(b.list({b.range(0, 16383, "a"), b.range(5, 5, "b")}));
    REQUIRE(two);
    CHECK(two->primaries.size() == 2);
    CHECK_FALSE(two->is_one_node());
}

TEST_CASE("CLUSTER SLOTS: without an id a node is known by host and port; the host may be nil", "[session][cluster]")
{
    builder b;
    auto const at = [&](reply host, std::int64_t port) { return b.list({host, number(port)}); };
    auto const ranges = [&](reply first, reply second) {
        return read_cluster_slots(
            b.list({b.list({number(0), number(99), first}), b.list({number(100), number(16383), second})}));
    };
    CHECK(ranges(at(text("h"), 1), at(text("h"), 1))->is_one_node());
    CHECK(ranges(at({}, 1), at({}, 1))->is_one_node());
    CHECK(ranges(at(text("h"), 1), at(text("h"), 2))->primaries.size() == 2);
    CHECK(ranges(at(text("h"), 1), at(text("g"), 1))->primaries.size() == 2);
}

TEST_CASE(
    "CLUSTER SLOTS: each primary is named once, with its id and address, and each range refers to one",
    "[session][cluster]")
{
    builder b;
    auto const at = [&](reply host, std::string_view id) { return b.list({host, number(7000), text(id)}); };
    auto const map = read_cluster_slots(b.list(
        {b.list({number(0), number(99), at(text("10.0.0.1"), "a")}),
         b.list({number(100), number(200), at({}, "b")}),
         b.list({number(201), number(201), at(text("10.0.0.1"), "a")}),
         b.list({number(300), number(301), b.list({text("?"), number(1)})})}));
    REQUIRE(map);
    CHECK(map->primaries == std::vector<core::cluster_primary>{{"a", "10.0.0.1", 7000}, {"b", "", 7000}, {"", "?", 1}});
    CHECK(map->ranges == std::vector<core::slot_range>{{0, 99, 0}, {100, 200, 1}, {201, 201, 0}, {300, 301, 2}});
}

TEST_CASE("CLUSTER SLOTS: more primaries than slots are not understood", "[session][cluster]")
{
    builder b;
    std::vector<reply> ranges;
    for (int i = 0; i <= core::hash_slots; ++i)
        ranges.push_back(b.list({number(0), number(0), b.list({text("h"), number(i)})}));
    CHECK_FALSE(read_cluster_slots(b.list(ranges)));
    ranges.pop_back();
    CHECK(read_cluster_slots(b.list(ranges)));
}

TEST_CASE("CLUSTER SLOTS: a reply of another form is not understood", "[session][cluster]")
{
    builder b;
    auto const a = b.node("a");
    for (auto const& range :
         {number(1),
          text("0"),
          reply{},
          b.list({}),
          b.list({number(0)}),
          b.list({number(0), number(16383)}),
          b.list({text("0"), number(16383), a}),
          b.list({number(0), text("16383"), a}),
          b.list({number(0), number(16384), a}),
          b.list({number(-1), number(16383), a}),
          b.list({number(2), number(1), a}),
          b.list({number(0), number(INT64_MAX), a}),
          b.list({number(0), number(16383), text("a")}),
          b.list({number(0), number(16383), b.list({})}),
          b.list({number(0), number(16383), b.list({text("h"), text("6379")})}),
          b.list({number(0), number(16383), b.list({text("h"), number(65536)})}),
          b.list({number(0), number(16383), b.list({text("h"), number(-1)})}),
          b.list({number(0), number(16383), b.list({b.list({a})})})})
        CHECK_FALSE(read_cluster_slots(b.list({range})));
    CHECK_FALSE(read_cluster_slots(text("OK")));
    CHECK_FALSE(read_cluster_slots(number(0)));
    CHECK_FALSE(read_cluster_slots({}));
}

}  // namespace session_cluster_slots_test
}  // namespace holdfast::session
