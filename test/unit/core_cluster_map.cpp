//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/cluster_map.hpp"
#include "core/hash_slot.hpp"

namespace holdfast::core {
namespace core_cluster_map_test {

TEST_CASE("cluster map: the primary of each slot follows from the ranges", "[core][cluster]")
{
    cluster_map const map{
        .primaries = {{"a", "h", 1}, {"b", "h", 2}}, .ranges = {{0, 0, 1}, {2, 99, 0}, {16383, 16383, 1}}};
    auto const by_slot = map.primary_by_slot();
    REQUIRE(by_slot.size() == hash_slots);
    CHECK(by_slot[0] == 1);
    CHECK(by_slot[1] == cluster_map::no_primary);
    CHECK(by_slot[2] == 0);
    CHECK(by_slot[99] == 0);
    CHECK(by_slot[100] == cluster_map::no_primary);
    CHECK(by_slot[16383] == 1);
    CHECK(map.covered_slots() == 100);
    CHECK_FALSE(map.is_one_node());
}

TEST_CASE("cluster map: of overlapping ranges the last one counts", "[core][cluster]")
{
    cluster_map const map{.primaries = {{"a", "h", 1}, {"b", "h", 2}}, .ranges = {{0, 16383, 0}, {5, 6, 1}}};
    auto const by_slot = map.primary_by_slot();
    CHECK(by_slot[4] == 0);
    CHECK(by_slot[5] == 1);
    CHECK(by_slot[6] == 1);
    CHECK(by_slot[7] == 0);
    CHECK(map.covered_slots() == hash_slots);
    CHECK_FALSE(map.is_one_node());
}

TEST_CASE("cluster map: a map without ranges covers nothing, one node has all slots", "[core][cluster]")
{
    CHECK(cluster_map{}.covered_slots() == 0);
    CHECK_FALSE(cluster_map{}.is_one_node());
    CHECK(cluster_map{.primaries = {{"a", "h", 1}}, .ranges = {{8000, 16383, 0}, {0, 7999, 0}}}.is_one_node());
    CHECK_FALSE(cluster_map{.primaries = {{"a", "h", 1}}, .ranges = {{0, 16382, 0}}}.is_one_node());
}

}  // namespace core_cluster_map_test
}  // namespace holdfast::core
