//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/printable.hpp"

using holdfast::core::printable;
using namespace std::string_literals;

TEST_CASE("printable text has its control bytes escaped and keeps every other byte", "[printable]")
{
    CHECK(printable("order:17 \"x\" \\ \xc3\xa4") == "order:17 \"x\" \\ \xc3\xa4");
    CHECK(printable("a\nlock \"b\": granted") == "a\\x0alock \"b\": granted");
    CHECK(printable("\r\t\x1b[2J\x7f"s + '\0') == "\\x0d\\x09\\x1b[2J\\x7f\\x00");
    CHECK(printable("").empty());
    CHECK(printable(std::string(1000, 'x')).size() == 1000);
}
