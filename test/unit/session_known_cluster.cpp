//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "session/known_cluster.hpp"

namespace holdfast::session {
namespace {

using namespace std::chrono_literals;
using enum known_cluster::answer;

core::instant const start{1h};

cluster_view view(std::vector<std::string> const& primaries, std::vector<std::string> replicas = {})
{
    cluster_view v;
    for (auto const& id : primaries)
        v.primaries.push_back({id, "h", 1});
    v.replica_ids = std::move(replicas);
    return v;
}

TEST_CASE("known cluster: the first map is accepted, and then those that name one of its nodes", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a", "b"}, {"c"}), start) == accepted);
    CHECK(known.judge(view({"b", "d"}), start) == accepted);
    CHECK(known.judge(view({"e"}, {"d"}), start) == accepted);  // the replica e was promoted
    CHECK(known.judge(view({"a"}), start) == refused);
}

TEST_CASE("known cluster: a replica of the last map may be the only node that is left", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a"}, {"c"}), start) == accepted);
    CHECK(known.judge(view({"c"}), start) == accepted);
}

TEST_CASE("known cluster: another cluster is used when no known node has told its slots for 30 s", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({"a"}), start) == accepted);
    CHECK(known.judge(view({"x"}), start + 1h) == refused);
    CHECK(known.judge(view({"x"}), start + 1h + 29s) == refused);
    CHECK(known.judge(view({"a"}), start + 1h + 29s) == accepted);
    CHECK(known.judge(view({"x"}), start + 1h + 31s) == refused);  // the time begins anew
    CHECK(known.judge(view({"y"}), start + 1h + 61s) == replaced);
    CHECK(known.judge(view({"y"}), start + 1h + 62s) == accepted);
    CHECK(known.judge(view({"a"}), start + 1h + 63s) == refused);
}

TEST_CASE("known cluster: nodes without ids cannot be told apart", "[session][cluster]")
{
    known_cluster known;
    CHECK(known.judge(view({""}), start) == accepted);
    CHECK(known.judge(view({"a"}), start) == accepted);
    CHECK(known.judge(view({""}), start) == accepted);
}

}  // namespace
}  // namespace holdfast::session
