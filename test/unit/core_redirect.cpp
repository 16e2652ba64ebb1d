//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/redirect.hpp"

namespace core_redirect_test {

using holdfast::core::read_redirect;
using holdfast::core::redirect;

TEST_CASE("MOVED names a slot and the address of its primary", "[redirect]")
{
    CHECK(read_redirect("MOVED 3999 127.0.0.1:6381") == redirect{3999, "127.0.0.1", 6381});
    CHECK(read_redirect("MOVED 0 redis-1.example:7000") == redirect{0, "redis-1.example", 7000});
}

TEST_CASE("the port of an IPv6 address follows the last colon", "[redirect]")
{
    CHECK(read_redirect("MOVED 16383 2001:db8::1:6379") == redirect{16383, "2001:db8::1", 6379});
}

TEST_CASE("ASK names the node that imports a slot", "[redirect]")
{
    CHECK(read_redirect("ASK 3999 127.0.0.1:6381") == redirect{3999, "127.0.0.1", 6381});
}

TEST_CASE("an empty host is that of the answering node", "[redirect]")
{
    CHECK(read_redirect("MOVED 5 :6379") == redirect{5, "", 6379});
}

TEST_CASE("an error that names no reachable primary is no redirect", "[redirect]")
{
    for (auto const* const error :
         {"",
          "MOVED",
          "MOVED ",
          "MOVED 1",
          "MOVED 1 ",
          "MOVED 1 host",
          "MOVED x host:1",
          "MOVED 16384 host:1",
          "MOVED -1 host:1",
          "MOVED 1 host:",
          "MOVED 1 host:65536",
          "MOVED 1 host:1x",
          "MOVED 1 ?:6379",
          "MOVED 1 a\nb:6379",
          "MOVED 1:2",
          "ASKING 1 host:1",
          "ERR MOVED 1 host:1"}) {
        INFO(error);
        CHECK_FALSE(read_redirect(error));
    }
}

}  // namespace core_redirect_test
