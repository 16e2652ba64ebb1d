//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/listen_address.hpp"

namespace dashboard_text_test {

using namespace holdfast::cli::dashboard;
using namespace std::string_literals;

TEST_CASE("display text: UTF-8 stays, markup included", "[dashboard]")
{
    CHECK(display_text("order:17 <b>\"x\"</b> & \\") == "order:17 <b>\"x\"</b> & \\");
    CHECK(display_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\x92") == "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\x92");
    CHECK(display_text("").empty());
}

TEST_CASE("display text: bytes that are no UTF-8 and control characters become hexadecimal", "[dashboard]")
{
    CHECK(display_text("a\nb\x1b\x7f\0"s) == "a\\x0ab\\x1b\\x7f\\x00");
    CHECK(display_text("\xff\x80z") == "\\xff\\x80z");
    CHECK(display_text("\xc3") == "\\xc3");
    CHECK(display_text("\xe2\x82") == "\\xe2\\x82");
    CHECK(display_text("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
    CHECK(display_text("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");           // overlong
    CHECK(display_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
    CHECK(display_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
    CHECK(display_text("\xc2\x85") == "\\xc2\\x85");                    // a control character of two bytes
}

TEST_CASE("display text: characters with which one name can look like another are named", "[dashboard]")
{
    CHECK(display_text("a\xe2\x80\xae"s + "b") == "a\\u{202e}b");  // right to left
    CHECK(display_text("a\xe2\x80\x8b"s + "b") == "a\\u{200b}b");  // no width
    CHECK(display_text("\xef\xbb\xbf") == "\\u{feff}");
}

TEST_CASE("hexadecimal digits: what to_hex() writes, from_hex() reads, and nothing else", "[dashboard]")
{
    auto const bytes = "\x00\xff<a>\n"s;
    CHECK(to_hex(bytes) == "00ff3c613e0a");
    CHECK(from_hex(to_hex(bytes)) == bytes);
    CHECK(from_hex("") == "");
    CHECK_FALSE(from_hex("0").has_value());
    CHECK_FALSE(from_hex("0g").has_value());
    CHECK_FALSE(from_hex("0A").has_value());
}

TEST_CASE("listen address: an address and a port are accepted, names are not, except localhost", "[dashboard]")
{
    auto const text_of = [](char const* text) {
        auto const at = parse_listen_address(text);
        return at ? at->address().to_string() + " " + std::to_string(at->port()) : "none";
    };
    CHECK(text_of("127.0.0.1:8077") == "127.0.0.1 8077");
    CHECK(text_of("localhost:0") == "127.0.0.1 0");
    CHECK(text_of("[::1]:80") == "::1 80");
    CHECK(text_of("0.0.0.0:65535") == "0.0.0.0 65535");
    for (auto const* bad :
         {"",
          ":",
          ":8077",
          "8077",
          "127.0.0.1",
          "127.0.0.1:",
          "127.0.0.1:65536",
          "127.0.0.1:-1",
          "127.0.0.1:80 ",
          "::1:80",
          "[127.0.0.1]:80",
          "example.com:80",
          "127.0.0.1:0x50"}) {
        CAPTURE(bad);
        CHECK(text_of(bad) == "none");
    }
}

}  // namespace dashboard_text_test
