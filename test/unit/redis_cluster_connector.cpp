//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/cluster_connector.hpp"

namespace holdfast::redis {
namespace redis_cluster_connector_test {

struct no_events final : session::connection_events {
    void on_reply(engine::reply const&) override {}
    void on_error(std::string_view) override {}
    void on_message(std::string_view) override {}
    void on_subscribed(std::string_view) override {}
    void on_unsubscribed(std::string_view) override {}
    void on_ended(session::ending const&) override {}
};

// The connections are never established, because the context does not run.
struct seeds {
    std::unique_ptr<connector> make(endpoint const& to, origin)
    {
        boost::asio::ssl::context tls(boost::asio::ssl::context::tls_client);
        auto const at = std::make_shared<addresses_of_host>(addresses_of_host{.look_up = look_up});
        return std::make_unique<connector>(
            engine::strand(context.get_executor()), to, std::move(tls), engine::log{}, at);
    }
    // The nodes to which the next connections lead.
    std::vector<std::string> next(int count)
    {
        std::vector<std::string> hosts;
        for (int i = 0; i != count; ++i) {
            connection = tested.connect(events);
            hosts.emplace_back(tested.host());
        }
        return hosts;
    }

    boost::asio::io_context context;
    std::shared_ptr<session::connection_events> events = std::make_shared<no_events>();
    std::shared_ptr<session::connection> connection;
    cluster_connector tested{
        {.is_cluster = true, .hosts = {{"seed", 1}}}, origin::url, [this](auto const& to, origin o) {
            return make(to, o);
        }};
};

TEST_CASE_METHOD(seeds, "seeds: after the primaries their replicas are asked", "[redis][cluster]")
{
    CHECK(next(2) == std::vector<std::string>{"seed", "seed"});
    core::cluster_map map{
        .primaries = {{"a", "host-a", 1}, {"b", "", 2}}, .ranges = {}, .replicas = {{"r", "host-r", 3}, {"q", "?", 4}}};
    tested.on_slots(map);
    CHECK(next(5) == std::vector<std::string>{"seed", "host-r", "seed", "seed", "host-a"});
    CHECK(map.primaries[1].host == "seed");
    CHECK(map.replicas[1].host == "seed");
}

TEST_CASE_METHOD(seeds, "seeds: a replica whose host is not known any more is where it was", "[redis][cluster]")
{
    next(1);
    core::cluster_map map{.primaries = {{"a", "host-a", 1}}, .ranges = {}, .replicas = {{"r", "host-r", 3}}};
    tested.on_slots(map);
    map.replicas = {{"r", "?", 3}};
    tested.on_slots(map);
    CHECK(map.replicas[0].host == "host-r");
}

}  // namespace redis_cluster_connector_test
}  // namespace holdfast::redis
