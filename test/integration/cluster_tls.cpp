//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// rediss+cluster://: each node proves with its certificate that it has the name for which the client knows it.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/all_kinds.hpp"
#include "support/certificates.hpp"
#include "support/live.hpp"
#include "support/server_cluster.hpp"
#include "support/tls_port.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

constexpr std::size_t primaries = 3;

// A cluster over TLS. The client knows the first node as localhost. The nodes announce host names if `announces`.
class tls_cluster {
public:
    explicit tls_cluster(bool announces, std::vector<std::string> names)
    {
        if (announces && cluster_node().command({"CONFIG", "GET", "cluster-announce-hostname"}).items.empty())
            SKIP("the nodes of this server announce no host names");
        for (std::size_t i = 0; i != primaries; ++i) {
            auto const own = authority.sign("node" + std::to_string(i), names[i]);
            ports_.push_back(tls_port());
            lines_.push_back(tls_lines(ports_[i], authority, own));
            lines_[i].insert(lines_[i].end(), {"tls-auth-clients no", "tls-cluster yes"});
            if (announces)
                lines_[i].push_back("cluster-announce-hostname node" + std::to_string(i) + ".example");
        }
        auto const options = [this](std::size_t i) { return server_cluster::node_options{lines_[i], ports_[i]}; };
        servers.emplace(primaries, server_cluster::replicas::none, options);
    }

    config trusting() const
    {
        auto c = live::quick("rediss+cluster://localhost:" + std::to_string(ports_[0]));
        c.tls.ca_file = authority.ca_file();
        return c;
    }

    certificates authority;
    std::optional<server_cluster> servers;

private:
    std::vector<std::uint16_t> ports_;
    std::vector<std::vector<std::string>> lines_;
};

// On each primary.
awaitable<void> use_all_kinds(client& c)
{
    std::vector<lease> held;
    for (auto const& l : locks_of_all_kinds(c, {"{a}", "{b}", "{c}"}))
        held.push_back(co_await l.acquire());
    for (auto& l : held)
        co_await l.release();
}

TEST_CASE("a node of a cluster is verified for the host name that the cluster announces", "[live][cluster][tls]")
{
    tls_cluster cluster(true, {"DNS:localhost,DNS:node0.example", "DNS:node1.example", "DNS:node2.example"});
    live l;
    auto& c = l.client(cluster.trusting());
    l.run([&]() -> awaitable<void> {
        co_await use_all_kinds(c);
        cluster.servers->move("{a}", (cluster.servers->primary_of("{a}") + 1) % primaries);
        co_await use_all_kinds(c);
    });
    CHECK(c.stats().connected == primaries + 1);
}

TEST_CASE("without an announced host name a node is verified for its address", "[live][cluster][tls]")
{
    tls_cluster cluster(false, std::vector<std::string>(primaries, "DNS:localhost,IP:127.0.0.1"));
    live l;
    auto& c = l.client(cluster.trusting());
    l.run([&]() -> awaitable<void> { co_await use_all_kinds(c); });
}

TEST_CASE("a node with the certificate of another host gets no password and no command", "[live][cluster][tls]")
{
    tls_cluster cluster(true, {"DNS:localhost,DNS:node0.example", "DNS:node0.example", "DNS:node0.example"});
    live l;
    auto& c = l.client(cluster.trusting());
    l.run([&]() -> awaitable<void> {
        for (auto const* const name : {"{a}", "{b}", "{c}"}) {
            error_code ec;
            co_await mutex(c, name).try_acquire({.wait = 300ms}, redirect(ec));
            bool const is_first = cluster.servers->primary_of(name) == 0;
            CHECK(ec == (is_first ? error_code() : error_code(errc::unavailable)));
        }
    });
    CHECK(l.lines_with("hostname mismatch") > 0);
    CHECK((*cluster.servers)[1].calls("hello") == 0);
}

TEST_CASE("tls.server_name is the name of all nodes of a cluster", "[live][cluster][tls]")
{
    tls_cluster cluster(false, std::vector<std::string>(primaries, "DNS:cluster.example"));
    live l;
    auto cfg = cluster.trusting();
    cfg.tls.server_name = "cluster.example";
    auto& c = l.client(cfg);
    l.run([&]() -> awaitable<void> { co_await use_all_kinds(c); });
}

}  // namespace
}  // namespace holdfast::test
