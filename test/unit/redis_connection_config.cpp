//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "redis/connection_config.hpp"

namespace holdfast::redis {
namespace redis_connection_config_test {

TEST_CASE("the longest reply has room for the slots of a cluster", "[redis][cluster]")
{
    auto const longest = [](char const* url) { return make_connection_config(parse_url(url)).max_read_size; };
    // Each slot alone, with a primary and two replicas of 250 bytes each.
    CHECK(longest("redis+cluster://h") > 16384 * 3 * 250);
    CHECK(longest("rediss+cluster://h") > 16384 * 3 * 250);
    CHECK(longest("redis://h") == 1024 * 1024);
}

}  // namespace redis_connection_config_test
}  // namespace holdfast::redis
