//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// `holdfast doctor` at a cluster of several primaries.

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"
#include "support/server_cluster.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string address_of(server_cluster& c, std::size_t node)
{
    return "127.0.0.1:" + std::to_string(c[node].port());
}

// The lines that concern that node.
std::string part_of(std::string const& output, std::string const& address)
{
    auto const begin = output.find("node  " + address);
    auto const end = output.find("node  ", begin + 1);
    return begin == output.npos ? "" : output.substr(begin, end - begin);
}

std::int64_t keys(server_cluster& c)
{
    std::int64_t all = 0;
    for (std::size_t i = 0; i != c.size(); ++i)
        all += c[i].command({"DBSIZE"}).integer;
    return all;
}

// The rights of docs/operations.md and docs/cluster.md.
std::vector<std::string> const cluster_rights{
    "hello",        "auth",   "ping",       "select",       "client|setname", "client|kill", "client|id",
    "info",         "eval",   "evalsha",    "@read",        "@write",         "time",        "cluster|slots",
    "cluster|myid", "asking", "ssubscribe", "sunsubscribe", "spublish",       "client|reply"};

void make_user(server_cluster& c, std::string const& without)
{
    std::vector<std::string> words{"ACL", "SETUSER", "locks", "reset", "on", ">word", "~*", "&*"};
    for (auto const& r : cluster_rights)
        if (r != without)
            words.push_back("+" + r);
    for (std::size_t i = 0; i != c.size(); ++i)
        REQUIRE(c[i].command(words).text == "OK");
}

std::string url_of_cluster_user(server_cluster& c)
{
    auto url = c.url();
    return url.insert(url.find("//") + 2, "locks:word@");
}

}  // namespace

TEST_CASE("cli doctor: each primary of a cluster is examined, and no key is left", "[cli][cluster][doctor]")
{
    server_cluster cluster;
    std::string output;
    CHECK(run_tool(cluster.url(), {"doctor"}, &output) == 0);
    CAPTURE(output);
    CHECK_THAT(output, ContainsSubstring("ok    slots           all 16384 hash slots have a primary"));
    CHECK_THAT(output, ContainsSubstring("ok    moving slots    none"));
    CHECK_THAT(output, ContainsSubstring("ok    failover        cluster-node-timeout 1s: a lease of 30s outlasts it"));
    CHECK_THAT(output, ContainsSubstring("ok    full coverage"));
    bool const is_sharded = cluster[0].info("redis_version").front() != '6';
    for (std::size_t i = 0; i != cluster.size(); ++i) {
        auto const part = part_of(output, address_of(cluster, i));
        CHECK_THAT(
            part, ContainsSubstring("ok    version") && ContainsSubstring("ok    mode            Redis Cluster\n"));
        CHECK_THAT(part, ContainsSubstring("warn  replicas        none: if this primary fails"));
        CHECK_THAT(part, ContainsSubstring("ok    access") && ContainsSubstring("latency"));
        CHECK_THAT(part, ContainsSubstring("ok    ASKING") && ContainsSubstring("ok    CLUSTER SLOTS"));
        CHECK_THAT(part, ContainsSubstring("ok    CLIENT KILL     a new connection ends the previous one"));
        auto const* const messages = is_sharded ? "ok    SSUBSCRIBE      messages wake"
                                                : "ok    SUBSCRIBE       messages wake";
        CHECK_THAT(part, ContainsSubstring(messages));
        CHECK(part.find("several slots") == part.npos);
        if (is_sharded)
            CHECK_THAT(part, ContainsSubstring("ok    SPUBLISH") && ContainsSubstring("ok    CLIENT REPLY"));
    }
    CHECK(keys(cluster) == 0);
    CHECK(cluster.errors("MOVED") == 0);

    CHECK(run_tool(cluster.url(), {"doctor", "--json", "--lease", "4s"}, &output) == 0);
    CHECK(count_of(output, R"("topic":"access","grade":"ok")") == 3);
    CHECK(count_of(output, R"("topic":"slots","grade":"ok")") == 1);
    CHECK_THAT(output, ContainsSubstring(R"("node":")" + address_of(cluster, 2) + '"'));
    CHECK_THAT(output, ContainsSubstring(R"("topic":"failover","grade":"warn")"));

    // All names with one hash tag are in one slot.
    CHECK(run_tool(cluster.url(), {"doctor", "{order}:trial"}, &output) == 0);
    CHECK(count_of(output, "ok    access") == 1);
    CHECK(count_of(output, "warn  access          not tested: all names that begin so") == 2);
}

TEST_CASE("cli doctor: half-moved and uncovered slots of a cluster are named", "[cli][cluster][doctor]")
{
    server_cluster cluster;
    auto const key = std::string("order:1");
    auto const to = (cluster.primary_of(key) + 1) % cluster.size();
    cluster.begin_move(key, to, {});
    cluster[0].command({"CLUSTER", "DELSLOTS", "7"});
    std::string output;
    CHECK(run_tool(cluster.url(), {"doctor"}, &output) == 1);
    CAPTURE(output);
    auto const slot = cluster[0].command({"CLUSTER", "KEYSLOT", key}).integer;
    CHECK_THAT(output, ContainsSubstring("warn  moving slots    1 half-moved (" + std::to_string(slot) + ")"));
    CHECK_THAT(output, ContainsSubstring("BAD   slots           1 hash slots have no primary (7)"));
}

TEST_CASE("cli doctor: a primary of a cluster that does not answer is bad, the others are examined", "[cli][cluster]")
{
    server_cluster cluster;
    cluster[1].freeze();
    auto const silent = address_of(cluster, 1);
    REQUIRE(eventually([&] {
        return cluster[0].command({"CLUSTER", "NODES"}).text.find("fail ") != std::string::npos;
    }));
    std::string output;
    CHECK(run_tool(cluster.url(), {"doctor"}, &output) == 1);
    CAPTURE(output);
    CHECK_THAT(output, ContainsSubstring("hash slots have no primary") && ContainsSubstring("failed: " + silent));
    CHECK_THAT(part_of(output, silent), ContainsSubstring("BAD   connection"));
    CHECK(count_of(output, "ok    access") == 2);
    cluster[1].thaw();
}

TEST_CASE("cli doctor: each right that a cluster needs is reported if it is denied", "[cli][cluster][doctor]")
{
    server_cluster cluster;
    if (cluster[0].info("redis_version").front() == '6')
        SKIP("a server without sharded messages");
    std::string output;
    make_user(cluster, "nothing");
    CHECK(run_tool(url_of_cluster_user(cluster), {"doctor"}, &output) == 0);
    CAPTURE(output);
    CHECK(count_of(output, "ok    access") == 3);
    CHECK_THAT(output, ContainsSubstring("warn  moving slots    not known: NOPERM"));
    CHECK_THAT(output, ContainsSubstring("warn  failover        not known (CONFIG GET is denied)"));
    CHECK_THAT(output, ContainsSubstring("ok    slots           all 16384"));
    for (auto const* topic :
         {"SSUBSCRIBE", "SUNSUBSCRIBE", "SPUBLISH", "CLIENT REPLY", "ASKING", "CLUSTER SLOTS", "CLUSTER MYID"})
        CHECK(count_of(output, "ok    " + std::string(topic) + " ") == 3);

    struct denial {
        char const* right;
        char const* says;
    };
    for (auto const& d : std::vector<denial>{
             {"ssubscribe", "warn  SSUBSCRIBE      no: waiters poll"},
             {"sunsubscribe", "warn  SUNSUBSCRIBE    no: the client stays subscribed"},
             {"spublish", "warn  SPUBLISH        no: a release wakes no waiter"},
             {"client|reply", "warn  CLIENT REPLY    no: waiters poll"},
             {"cluster|myid", "warn  CLUSTER MYID    no: a client does not notice"},
             {"asking", "warn  ASKING          no: while a hash slot is being moved"}}) {
        CAPTURE(d.right);
        make_user(cluster, d.right);
        CHECK(run_tool(url_of_cluster_user(cluster), {"doctor"}, &output) == 0);
        CHECK(count_of(output, d.says) == 3);
    }
    make_user(cluster, "nothing");
    cluster[2].command({"ACL", "SETUSER", "locks", "-cluster|slots"});
    CHECK(run_tool(url_of_cluster_user(cluster), {"doctor"}, &output) == 0);
    CHECK(count_of(output, "warn  CLUSTER SLOTS   no: a client cannot begin with this node") == 1);
    CHECK(keys(cluster) == 0);
}
