//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>

#include <boost/redis/request.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/commands_without_reply.hpp"

namespace holdfast::redis {
namespace redis_commands_without_reply_test {

// Boost.Redis documents one bulk string for boost_redis_to_bulk(). If a later version counts what is written there, or
// writes it elsewhere, this test fails before a connection does.
TEST_CASE("Boost.Redis sends commands without a reply behind a PING, whose reply alone it expects", "[redis]")
{
    std::array<std::string, 2> const channels{"{a}", "{b}"};
    boost::redis::request r;
    r.push("PING", commands_without_reply{"SSUBSCRIBE", channels});
    CHECK(r.get_expected_responses() == 1);
    CHECK(
        r.payload()
        == "*2\r\n$4\r\nPING\r\n$4\r\nPONG\r\n"
           "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\n*2\r\n$10\r\nSSUBSCRIBE\r\n$3\r\n{a}\r\n"
           "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\n*2\r\n$10\r\nSSUBSCRIBE\r\n$3\r\n{b}\r\n");
}

}  // namespace redis_commands_without_reply_test
}  // namespace holdfast::redis
