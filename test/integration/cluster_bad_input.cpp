//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Wrong URLs of clusters, and clusters that are broken: one clear error each, and no storm of connections or questions.

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "integration/storm.hpp"
#include "support/certificates.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"
#include "support/tls_port.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// What a client may do in the time of a storm.
constexpr int most_connections = 20;

std::int64_t connections_to(redis_server& s)
{
    return std::stoll(s.info("total_connections_received"));
}

std::string tcp(redis_server const& s)
{
    return "127.0.0.1:" + std::to_string(s.port());
}

// A name whose slot is at that primary.
std::string name_at(server_cluster const& cluster, std::size_t primary)
{
    for (int i = 0;; ++i)
        if (auto name = "lock-" + std::to_string(i); cluster.primary_of(name) == primary)
            return name;
}

TEST_CASE("redis:// to one of three primaries is refused with the URL to write, and without a storm", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& c = l.client(cluster[0].tcp_url());
    l.run([&]() -> awaitable<void> {
        auto const ec = co_await failure_of(mutex(c, "m").acquire());
        CHECK(ec == errc::protocol);
        CHECK(has(c.last_failure().message, "of 3 primaries"));
        CHECK(has(c.last_failure().message, "write redis+cluster://"));
        co_await sleep_for(storm_time);
    });
    CHECK(connections_to(cluster[0]) < most_connections);
    CHECK(cluster[0].calls("set") == 0);
    CHECK(l.lines_with("no connection to") == 1);
}

TEST_CASE("in a cluster of which a part is down, the locks of the other part are served", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& c = l.client(cluster.url());
    auto const gone = name_at(cluster, 2);
    l.run([&]() -> awaitable<void> {
        co_await c.ready();
        cluster.kill(cluster[2]);
        auto const ec = co_await failure_of(mutex(c, gone).try_acquire({.wait = 3s}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "refused"));
        auto const before = cluster.slots_requests();
        auto const held = co_await mutex(c, name_at(cluster, 0)).acquire();
        CHECK(held.valid());
        co_await sleep_for(storm_time);
        CHECK(cluster.slots_requests() - before < most_connections);
    });
    // Its connection ended, then none could be opened; once more, perhaps, as a seed.
    CHECK(l.lines_with("no connection to redis+cluster://" + tcp(cluster[2])) <= 4);
}

TEST_CASE("a cluster that requires full coverage refuses all locks while a part is down", "[live][cluster]")
{
    server_cluster cluster;
    for (std::size_t i = 0; i != cluster.size(); ++i)
        cluster[i].command({"CONFIG", "SET", "cluster-require-full-coverage", "yes"});
    live l;
    auto& c = l.client(cluster.url());
    auto const name = name_at(cluster, 0);
    l.run([&]() -> awaitable<void> {
        co_await c.ready();
        cluster.kill(cluster[2]);
        CHECK(co_await comes_true([&] {
            return has(cluster[0].command({"CLUSTER", "INFO"}).text, "cluster_state:fail");
        }));
        auto const before = cluster.slots_requests();
        auto const sets = cluster[0].calls("set");
        auto const ec = co_await failure_of(mutex(c, name).try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(cluster.errors("CLUSTERDOWN") > 0);
        CHECK(cluster.slots_requests() - before < most_connections);
        CHECK(cluster[0].calls("set") - sets < 4 * most_connections);
        cluster[2].restart();
        auto const held = co_await mutex(c, name).acquire();
        CHECK(held.valid());
    });
}

TEST_CASE("nodes that announce an address which cannot be reached are reported with it", "[live][cluster]")
{
    server_cluster cluster;
    if (cluster[0].info("redis_version").starts_with("6."))
        SKIP("a server that announces another port only when it has started again");
    for (std::size_t i = 0; i != cluster.size(); ++i)
        cluster[i].command({"CONFIG", "SET", "cluster-announce-port", "1"});
    live l;
    l.run([&]() -> awaitable<void> {
        CHECK(co_await comes_true([&] {
            auto const text = cluster[0].command({"CLUSTER", "NODES"}).text;
            std::size_t announced = 0;
            for (auto at = text.find(":1@"); at != text.npos; at = text.find(":1@", at + 1))
                ++announced;
            return announced == cluster.size();
        }));
    });
    auto& c = l.client(cluster.url());
    l.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto const before = cluster.slots_requests();
        auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "refused"));
        CHECK(cluster.slots_requests() - before < most_connections);
    });
    CHECK(l.lines_with("127.0.0.1:1: ") == 1);
}

// ---- another cluster

TEST_CASE("a seed of another cluster is not used", "[live][cluster]")
{
    cluster_node ours;
    cluster_node theirs;
    REQUIRE(ours.add_slots(16383, "ok"));
    REQUIRE(theirs.add_slots(16383, "ok"));
    live l;
    auto& c = l.client("redis+cluster://" + tcp(ours) + "," + tcp(theirs));
    l.run([&]() -> awaitable<void> {
        auto held = co_await mutex(c, "m").acquire();
        for (int i = 0; i != 4; ++i) {
            ours.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
            co_await sleep_for(1s);
            auto other = co_await mutex(c, "other").acquire();
            CHECK(ours.command({"EXISTS", "other"}).integer == 1);
            co_await other.release();
        }
        CHECK(held.valid());
        co_await held.release();
    });
    CHECK(c.stats().lost == 0);
    CHECK(theirs.command({"DBSIZE"}).integer == 0);
    CHECK(theirs.calls("set") == 0);
    CHECK(theirs.calls("evalsha") == 0);
    CHECK(l.lines_with("belongs to another cluster") >= 1);
    CHECK(connections_to(theirs) < most_connections);
}

// A container that gets the address of another one, for example.
TEST_CASE("a node of another cluster at the address of a primary is not used", "[live][cluster]")
{
    server_cluster cluster;
    live l;
    auto& c = l.client(cluster.url());
    auto const gone = name_at(cluster, 0);
    l.run([&]() -> awaitable<void> {
        co_await (co_await mutex(c, gone).acquire()).release();
        auto held = co_await mutex(c, name_at(cluster, 1)).acquire();
        cluster.kill(cluster[0]);
        std::filesystem::remove(cluster[0].folder() / "nodes.conf");
        cluster[0].restart();
        REQUIRE(cluster[0].add_slots(16383, "ok"));
        auto const ec = co_await failure_of(mutex(c, gone).try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(held.valid());
    });
    CHECK(c.stats().lost == 0);
    CHECK(cluster[0].command({"DBSIZE"}).integer == 0);
    CHECK(cluster[0].calls("set") == 0);
    CHECK(l.lines_with("another cluster") >= 1);
    CHECK(connections_to(cluster[0]) < 2 * most_connections);
}

// ---- TLS at one end only

TEST_CASE("rediss+cluster:// to nodes without TLS is reported as such", "[live][cluster][tls]")
{
    certificates authority;
    cluster_node node;
    REQUIRE(node.add_slots(16383, "ok"));
    live l;
    auto options = live::quick("rediss+cluster://" + tcp(node));
    options.tls.ca_file = authority.ca_file();
    auto& c = l.client(options);
    l.run([&]() -> awaitable<void> {
        auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "does the server expect TLS"));
    });
    CHECK(connections_to(node) < most_connections);
}

TEST_CASE("redis+cluster:// to nodes with TLS is reported as such", "[live][cluster][tls]")
{
    certificates authority;
    auto const port = tls_port();
    auto lines = tls_lines(port, authority, authority.sign("node", "DNS:localhost,IP:127.0.0.1"));
    lines.insert(lines.end(), {"tls-auth-clients no", "tls-cluster yes"});
    cluster_node node(lines);
    REQUIRE(node.add_slots(16383, "ok"));
    live l;
    auto& c = l.client("redis+cluster://127.0.0.1:" + std::to_string(port));
    l.run([&]() -> awaitable<void> {
        auto const ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time}));
        CHECK(ec == errc::unavailable);
        CHECK(has(c.last_failure().message, "does it expect TLS"));
    });
    CHECK(connections_to(node) < most_connections);
}

// The seeds are at their ports for TLS, but the nodes announce those without it.
TEST_CASE("rediss+cluster:// to nodes that announce ports without TLS is reported as such", "[live][cluster][tls]")
{
    certificates authority;
    auto const port = tls_port();
    auto lines = tls_lines(port, authority, authority.sign("node", "DNS:localhost,IP:127.0.0.1"));
    lines.insert(lines.end(), {"tls-auth-clients no", "cluster-announce-tls-port 0"});
    cluster_node node(lines);
    REQUIRE(node.add_slots(16383, "ok"));
    node.command({"CONFIG", "SET", "cluster-announce-port", std::to_string(node.port())});
    live l;
    auto options = live::quick("rediss+cluster://127.0.0.1:" + std::to_string(port));
    options.tls.ca_file = authority.ca_file();
    auto& c = l.client(options);
    error_code ec;
    l.run([&]() -> awaitable<void> { ec = co_await failure_of(mutex(c, "m").try_acquire({.wait = storm_time})); });
    if (!ec)
        SKIP("a server that announces its port for TLS all the same");
    CHECK(ec == errc::unavailable);
    CHECK(has(c.last_failure().message, "does the server expect TLS"));
    CHECK(connections_to(node) < most_connections);
}

}  // namespace
}  // namespace holdfast::test
