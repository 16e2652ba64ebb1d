//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/printable.hpp"

namespace core_printable_test {

using holdfast::core::printable;
using namespace std::string_literals;

TEST_CASE("printable text has its control bytes escaped and keeps every other character", "[printable]")
{
    CHECK(printable("order:17 \"x\" \\ \xc3\xa4") == "order:17 \"x\" \\ \xc3\xa4");
    CHECK(printable("a\nlock \"b\": granted") == "a\\x0alock \"b\": granted");
    CHECK(printable("\r\t\x1b[2J\x7f"s + '\0') == "\\x0d\\x09\\x1b[2J\\x7f\\x00");
    CHECK(printable("").empty());
    CHECK(printable(std::string(1000, 'x')).size() == 1000);
}

TEST_CASE("printable text has C1 controls escaped, as characters and as bytes", "[printable]")
{
    CHECK(
        printable("\xc2\x9b"
                  "2J")
        == "\\xc2\\x9b2J");  // U+009B: it begins an escape sequence, as ESC [ does
    CHECK(
        printable("\x9b"
                  "2J")
        == "\\x9b2J");
    CHECK(printable("\xc2\x80\xc2\x85\xc2\x9f") == "\\xc2\\x80\\xc2\\x85\\xc2\\x9f");
    CHECK(printable("\xc2\xa0\xc3\xbf") == "\xc2\xa0\xc3\xbf");
}

TEST_CASE("printable text has characters escaped that nobody sees, or that turn the direction", "[printable]")
{
    CHECK(
        printable("a\xe2\x80\xae"
                  "b")
        == "a\\u{202e}b");
    CHECK(
        printable("a\xe2\x81\xa6"
                  "b")
        == "a\\u{2066}b");
    CHECK(printable("\xe2\x80\xa8\xe2\x80\xa9") == "\\u{2028}\\u{2029}");
    CHECK(printable("\xe2\x80\x8b\xef\xbb\xbf") == "\\u{200b}\\u{feff}");
    CHECK(printable("\xf3\xa0\x81\xa1\xef\xbf\xbf") == "\\u{e0061}\\u{ffff}");
    // Their neighbours: U+2027, U+202F, U+2070, U+1F512, and Arabic and Hebrew letters.
    for (std::string const kept :
         {"\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xb0", "\xf0\x9f\x94\x92", "\xd8\xa7", "\xd7\x90"})
        CHECK(printable(kept) == kept);
}

TEST_CASE("printable text has bytes escaped that are no UTF-8", "[printable]")
{
    CHECK(
        printable("\xff"
                  "a\xc3")
        == "\\xffa\\xc3");
    CHECK(printable("\xc3(\x80") == "\\xc3(\\x80");
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");
    CHECK(printable("\xc0\x8a") == "\\xc0\\x8a");                    // a newline in two bytes
    CHECK(printable("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");           // U+009B in three
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair of UTF-16
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
    CHECK(printable("\xf8\x88\x80\x80\x80") == "\\xf8\\x88\\x80\\x80\\x80");
}

}  // namespace core_printable_test
