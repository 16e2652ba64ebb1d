//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "redis/node_address.hpp"

namespace holdfast::redis {
namespace redis_node_address_test {

config mapping(std::function<node_endpoint(std::string const&, std::uint16_t)> f)
{
    config c;
    c.node_address = std::move(f);
    return c;
}

TEST_CASE("node address: without a function nodes are where they say", "[redis][cluster]")
{
    auto const at = reachable_address({"node-1", 6379, "cert"}, {}, {});
    CHECK(at.host == "node-1");
    CHECK(at.port == 6379);
    CHECK(at.name == "cert");
}

TEST_CASE("node address: the function maps host and port, and the name of the certificate stays", "[redis][cluster]")
{
    auto const c = mapping([](std::string const& host, std::uint16_t port) {
        CHECK(host == "node-1");
        return node_endpoint{"127.0.0.1", static_cast<std::uint16_t>(port + 1)};
    });
    auto const plain = reachable_address({"node-1", 6379, ""}, c, {});
    CHECK(plain.host == "127.0.0.1");
    CHECK(plain.port == 6380);
    CHECK(plain.name == "node-1");
    CHECK(reachable_address({"node-1", 6379, "cert"}, c, {}).name == "cert");
}

TEST_CASE(
    "node address: after an exception, or for no address, the announced one is used, with a warning",
    "[redis][cluster]")
{
    for (auto const& c :
         {mapping([](auto const&, auto) -> node_endpoint { throw std::runtime_error("no"); }),
          mapping([](auto const&, auto) {
              return node_endpoint{"", 5};
          }),
          mapping([](auto const&, auto) {
              return node_endpoint{"h", 0};
          })}) {
        std::string line;
        engine::log const log([&](log_level l, std::string_view text) {
            CHECK(l == log_level::warning);
            line = text;
        });
        auto const at = reachable_address({"node-1", 6379, ""}, c, log);
        CHECK(line.starts_with("node_address: "));
        CHECK(line.find(" node-1:6379;") != line.npos);
        CHECK(at.host == "node-1");
        CHECK(at.port == 6379);
    }
}

}  // namespace redis_node_address_test
}  // namespace holdfast::redis
