//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A cluster with as many ranges of hash slots as there can be.

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/cluster_node.hpp"
#include "support/live.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// The slots in turn at two nodes, so each is a range of its own.
TEST_CASE("a cluster of 16384 ranges of hash slots can be used", "[live][cluster]")
{
    cluster_node even{"cluster-require-full-coverage no"}, odd{"cluster-require-full-coverage no"};
    std::vector<std::string> evens{"CLUSTER", "ADDSLOTS"}, odds = evens;
    for (int slot = 0; slot < 16384; slot += 2) {
        evens.push_back(std::to_string(slot));
        odds.push_back(std::to_string(slot + 1));
    }
    REQUIRE(even.command(evens).text == "OK");
    REQUIRE(odd.command(odds).text == "OK");
    even.command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(odd.port())});
    auto const is_ready = [](cluster_node& n) {
        auto const info = n.command({"CLUSTER", "INFO"}).text;
        return info.find("cluster_state:ok") != info.npos && info.find("slots_assigned:16384") != info.npos;
    };
    live l;
    auto& c = l.client("redis+cluster://127.0.0.1:" + std::to_string(even.port()));
    l.run([&]() -> awaitable<void> {
        while (!is_ready(even) || !is_ready(odd))
            co_await sleep_for(10ms);
        CHECK(even.command({"CLUSTER", "SLOTS"}).items.size() == 16384);
        for (int i = 0; i < 20; ++i) {
            auto held = co_await mutex(c, "lock" + std::to_string(i)).acquire();
            CHECK(held.valid());
            co_await held.release();
        }
    });
    CHECK(even.calls("set") > 0);
    CHECK(odd.calls("set") > 0);
    CHECK(l.lines_with("does not understand") == 0);
}

}  // namespace
}  // namespace holdfast::test
