//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string_view>

#include <boost/redis/adapter/any_adapter.hpp>
#include <boost/redis/resp3/node.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/error.hpp>

#include "redis/greeting.hpp"

namespace holdfast::redis {
namespace {

using boost::redis::resp3::node_view;
using boost::redis::resp3::type;

constexpr node_view hello{type::map, 1, 0, ""};
constexpr std::string_view busy = "BUSY Redis is busy running a script.";
constexpr std::string_view denied = "NOPERM this user has no permissions to run the command";

// What the connection ends with; success when it goes on.
error_code read(boost::redis::any_adapter adapter, node_view const& reply)
{
    error_code ec;
    adapter.on_node(reply, ec);
    adapter.on_done();
    return ec;
}

TEST_CASE("greeting: INFO tells the run of the server", "[redis]")
{
    greeting g({}, "name");
    REQUIRE_FALSE(read(g.adapter(), hello));
    CHECK_FALSE(read(g.adapter(), {type::blob_string, 1, 0, "# Server\r\nrun_id:abc\r\nuptime:1\r\n"}));
    CHECK(g.id().server_run == "abc");
    CHECK(g.refused().empty());
}

TEST_CASE("greeting: a connection is given up when the server is too busy for INFO or CLIENT KILL", "[redis]")
{
    greeting at_info({}, "name");
    REQUIRE_FALSE(read(at_info.adapter(), hello));
    CHECK(read(at_info.adapter(), {type::simple_error, 1, 0, busy}) == errc::unavailable);
    CHECK(at_info.refused() == busy);

    greeting at_kill({}, "name");
    CHECK(read(at_kill.barrier_adapter(), {type::simple_error, 1, 0, busy}) == errc::unavailable);
    CHECK(at_kill.refused() == busy);
}

TEST_CASE("greeting: a user without the right to INFO or CLIENT KILL keeps the connection", "[redis]")
{
    greeting g({}, "name");
    REQUIRE_FALSE(read(g.adapter(), hello));
    CHECK_FALSE(read(g.adapter(), {type::simple_error, 1, 0, denied}));
    CHECK_FALSE(read(g.barrier_adapter(), {type::simple_error, 1, 0, denied}));
    CHECK_FALSE(read(g.barrier_adapter(), {type::number, 1, 0, "0"}));
    CHECK_FALSE(g.id().is_known());
    CHECK(g.refused().empty());
}

}  // namespace
}  // namespace holdfast::redis
