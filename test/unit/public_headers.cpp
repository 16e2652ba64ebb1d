//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The public headers in the code of a user with strict warnings. A precompiled header would hide the warnings.

#pragma GCC diagnostic error "-Wshadow"

#include <catch2/catch_test_macros.hpp>

#include <holdfast.hpp>
#include <holdfast/testing/server.hpp>

namespace holdfast::test {
namespace public_headers_test {

TEST_CASE("the public headers compile without a shadowed name", "[headers]")
{
    CHECK(to_string(lock_kind::election) == "election");
}

}  // namespace public_headers_test
}  // namespace holdfast::test
