//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/primary_records.hpp"

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace primary_records_test {

using namespace std::chrono_literals;

core::instant at(core::duration d)
{
    return core::instant() + d;
}

server_identity since(core::instant start)
{
    return {.run_id = server_identity::run_id_type("run"), .running_since = start};
}

TEST_CASE("primary records: a server is known when it has a slot and was connected", "[cluster][red_lock]")
{
    primary_records r;
    CHECK_FALSE(r.server_of(5));
    r.on_primary(5, 1, at(10s));
    CHECK_FALSE(r.server_of(5));
    r.on_server(1, since(at(3s)));
    REQUIRE(r.server_of(5));
    CHECK(r.server_of(5)->run_id == "run");
    CHECK_FALSE(r.server_of(6));
}

TEST_CASE("primary records: a server is as young as its start, or as its slot", "[cluster][red_lock]")
{
    primary_records r;
    r.on_primary(5, 1, at(10s));
    r.on_server(1, since(at(3s)));
    CHECK(r.server_of(5)->running_since == at(10s));
    r.on_server(1, since(at(20s)));  // it has restarted
    CHECK(r.server_of(5)->running_since == at(20s));
    r.on_primary(5, 2, at(30s));
    CHECK_FALSE(r.server_of(5));
    r.on_server(2, since(at(1s)));
    CHECK(r.server_of(5)->running_since == at(30s));
    r.on_primary(5, 1, at(40s));  // it is the primary again
    CHECK(r.server_of(5)->running_since == at(40s));
}

TEST_CASE("primary records: a start that is not known stays unknown", "[cluster][red_lock]")
{
    primary_records r;
    r.on_primary(5, 1, at(10s));
    r.on_server(1, since(core::never));
    CHECK(r.server_of(5)->running_since == core::never);
}

TEST_CASE("primary records: the nodes are those of the last map", "[cluster][red_lock]")
{
    primary_records r;
    CHECK(r.nodes()->empty());
    r.on_nodes({{"a", "host:1"}, {"b", "host:2"}});
    auto const before = r.nodes();
    r.on_nodes({{"c", "host:3"}});
    CHECK(before->size() == 2);
    CHECK(r.nodes()->at("c") == "host:3");
}

}  // namespace primary_records_test
}  // namespace holdfast::engine
