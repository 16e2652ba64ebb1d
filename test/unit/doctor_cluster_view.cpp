//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tool/cluster_view.hpp"

namespace holdfast::cli {
namespace doctor_cluster_view_test {

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using detail::command_reply;

constexpr auto healthy = "aa 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460\n"
                         "bb 127.0.0.1:7001@17001,node-b master - 0 1700000000000 2 connected 5461-10922\n"
                         "cc 127.0.0.1:7003@17003 slave aa 0 1700000000000 1 connected\n"
                         "dd 127.0.0.1:7002@17002 master - 0 1700000000000 3 connected 10923 10924-16383\n";

cluster_view view_of(std::string_view reply)
{
    cluster_view v;
    add_cluster_nodes(v, reply);
    return v;
}

command_reply settings(std::string timeout, std::string full_coverage)
{
    return {
        .type = command_reply::kind::list,
        .items = {
            "cluster-node-timeout", std::move(timeout), "cluster-require-full-coverage", std::move(full_coverage)}};
}

TEST_CASE("doctor cluster: all slots are covered, and none is being moved", "[doctor]")
{
    auto const v = view_of(healthy);
    CHECK(judge_coverage(v).grade == grade::good);
    CHECK(judge_open_slots(v, "").grade == grade::good);
    CHECK(v.failed.empty());
}

TEST_CASE("doctor cluster: slots without a primary are bad, in the view of any node", "[doctor]")
{
    auto v = view_of(healthy);
    add_cluster_nodes(v, "aa 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-99 102-16382\n");
    auto const f = judge_coverage(v);
    CHECK(f.grade == grade::bad);
    CHECK_THAT(f.words, ContainsSubstring("3 hash slots have no primary (100-101, 16383)"));
}

TEST_CASE("doctor cluster: the slots of a primary that has failed are not covered, and it is named", "[doctor]")
{
    for (auto const* flags : {"master,fail", "master,fail?"}) {
        auto const f = judge_coverage(view_of(
            "aa 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-8191\n"
            "bb 127.0.0.1:7001@17001 "
            + std::string(flags) + " - 0 0 2 disconnected 8192-16383\n"));
        CHECK(f.grade == grade::bad);
        CHECK_THAT(f.words, ContainsSubstring("8192 hash slots have no primary (8192-16383)"));
        CHECK_THAT(f.words, ContainsSubstring("failed: 127.0.0.1:7001"));
    }
}

TEST_CASE("doctor cluster: half-moved slots are reported, whichever end tells", "[doctor]")
{
    auto v = view_of("aa 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-16383 [93->-bb] [77-<-cc]\n");
    auto const f = judge_open_slots(v, "");
    CHECK(f.grade == grade::doubtful);
    CHECK_THAT(f.words, ContainsSubstring("2 half-moved (77, 93)"));
    CHECK(judge_coverage(v).grade == grade::good);
    CHECK_THAT(judge_open_slots({}, "NOPERM").words, ContainsSubstring("not known: NOPERM"));
}

TEST_CASE("doctor cluster: ranges of CLUSTER SLOTS cover slots, too, and name the primaries", "[doctor]")
{
    auto const all = read_ranges(
        {.type = command_reply::kind::list,
         .items = {"0", "8191", "10.0.0.1", "7000", "8192", "16383", "10.0.0.2", "7001"}});
    cluster_view v;
    add_ranges(v, all);
    CHECK(judge_coverage(v).grade == grade::good);
    CHECK(address_of(8191, all) == "10.0.0.1:7000");
    CHECK(address_of(8192, all) == "10.0.0.2:7001");
    CHECK(
        address_of(0, read_ranges({.type = command_reply::kind::list, .items = {"0", "16383", "", "7000"}}))
        == "port 7000");
    add_ranges(v, {{0, 8191, ""}});
    CHECK(judge_coverage(v).grade == grade::bad);
    CHECK(address_of(8192, {}).empty());
}

TEST_CASE("doctor cluster: replies of any other form are ignored", "[doctor]")
{
    for (auto const* reply :
         {"", "\n\n", "x", "a b c d e f g h 99999 1-99999 9-3 [x [-1->- -5 5-", "a b c d e f g h ["}) {
        CAPTURE(reply);
        CHECK(view_of(reply).open.none());
        CHECK(view_of(reply).uncovered.count() == hash_slots);
    }
    CHECK(read_ranges({}).empty());
    for (auto const* last : {"x", "16384", "-1", "4"})
        CHECK(read_ranges({.type = command_reply::kind::list, .items = {"5", last, "h", "1"}}).empty());
    CHECK(read_ranges({.type = command_reply::kind::list, .items = {"5", "6", "h"}}).empty());
}

TEST_CASE("doctor cluster: many ranges are counted", "[doctor]")
{
    slot_set slots;
    for (std::size_t slot = 1; slot < 12; slot += 2)
        slots.set(slot);
    CHECK(words_of(slots) == "1, 3, 5, 7 and 2 more ranges");
}

TEST_CASE("doctor cluster: a lease must outlast a failover", "[doctor]")
{
    CHECK(judge_settings(settings("9500", "no"), 30s).at(0).grade == grade::good);
    auto const f = judge_settings(settings("15000", "no"), 30s).at(0);
    CHECK(f.grade == grade::doubtful);
    CHECK_THAT(f.words, ContainsSubstring("leases of at least 47s"));
    CHECK_THAT(f.words, ContainsSubstring("cluster-node-timeout to at most 9500ms"));
    CHECK(judge_settings(settings("15000", "no"), 47s).at(0).grade == grade::good);
    CHECK(judge_settings(settings("1000", "no"), 1s).at(0).words.find("or set") == std::string::npos);
}

TEST_CASE("doctor cluster: full coverage should not be required", "[doctor]")
{
    CHECK(judge_settings(settings("1000", "no"), 30s).at(1).grade == grade::good);
    CHECK(judge_settings(settings("1000", "yes"), 30s).at(1).grade == grade::doubtful);
}

TEST_CASE("doctor cluster: settings that may not be read are named with their rule", "[doctor]")
{
    command_reply const denied{.type = command_reply::kind::error, .text = "NOPERM no permissions to run 'config|get'"};
    for (auto const& f : judge_settings(denied, 30s)) {
        CHECK(f.grade == grade::doubtful);
        CHECK_THAT(f.words, ContainsSubstring("not known (CONFIG GET is denied)"));
    }
    CHECK_THAT(judge_settings({}, 30s).at(0).words, ContainsSubstring("not known (CONFIG GET has no result)"));
    CHECK(judge_settings(settings("many", "no"), 30s).size() == 2);
}

}  // namespace doctor_cluster_view_test
}  // namespace holdfast::cli
