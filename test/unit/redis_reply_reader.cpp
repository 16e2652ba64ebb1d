//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <optional>

#include <boost/redis/resp3/parser.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/reply_reader.hpp"

using namespace holdfast;
using redis::reply_reader;
using progress = redis::reply_reader::progress;
using kind = engine::reply::kind;

namespace {

// Feeds a message to a reader the way Boost.Redis does.
struct fed {
    explicit fed(std::string_view message)
    {
        boost::redis::resp3::parser parser;
        boost::system::error_code ec;
        while (!parser.done() && last != progress::malformed) {
            auto const node = parser.consume(message, ec);
            REQUIRE_FALSE(ec);
            REQUIRE(node);
            last = reader.take(*node);
        }
    }

    reply_reader reader;
    progress last = progress::more;
};

}  // namespace

TEST_CASE("reply_reader: it reads nil, integers, booleans, doubles and strings", "[redis]")
{
    CHECK(fed("_\r\n").reader.value().is_nil());
    CHECK(fed("+OK\r\n").reader.value().is_ok());
    CHECK(fed(":-42\r\n").reader.value().integer == -42);
    CHECK(fed("#t\r\n").reader.value().integer == 1);
    CHECK(fed("$3\r\nabc\r\n").reader.value().text == "abc");
    CHECK(fed("$0\r\n\r\n").reader.value().type == kind::text);
    CHECK(fed(",1.5\r\n").reader.value().text == "1.5");
    CHECK(fed("=7\r\ntxt:abc\r\n").reader.value().text == "abc");
    CHECK(fed("+OK\r\n").last == progress::complete);
}

TEST_CASE("reply_reader: it reports simple and bulk errors as errors", "[redis]")
{
    fed const simple("-NOSCRIPT no\r\n");
    CHECK(simple.last == progress::error);
    CHECK(simple.reader.words() == "NOSCRIPT no");
    CHECK(fed("!5\r\nERR x\r\n").last == progress::error);
}

TEST_CASE("reply_reader: it reads an array of scalars, nil and errors, and an empty array", "[redis]")
{
    fed const f("*5\r\n:1\r\n$2\r\nab\r\n_\r\n+\r\n-ERR c\r\n");
    REQUIRE(f.last == progress::complete);
    auto const& items = f.reader.value().items;
    REQUIRE(items.size() == 5);
    CHECK(items[0].integer == 1);
    CHECK(items[1].text == "ab");
    CHECK(items[2].is_nil());
    CHECK(items[3].type == kind::text);
    CHECK(items[3].text.empty());
    CHECK(items[4].text == "ERR c");

    CHECK(fed("*0\r\n").last == progress::complete);
    CHECK(fed("*0\r\n").reader.value().items.empty());
}

TEST_CASE("reply_reader: it reads a map as an array of keys and values", "[redis]")
{
    fed const f("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n");
    REQUIRE(f.reader.value().items.size() == 4);
    CHECK(f.reader.value().items[2].text == "b");
}

TEST_CASE("reply_reader: elements stay intact when the parser's buffer changes", "[redis]")
{
    reply_reader reader;
    boost::redis::resp3::parser parser;
    boost::system::error_code ec;
    std::string first = "*2\r\n$3\r\nabc\r\n";
    std::string whole = first + "$3\r\ndef\r\n";
    CHECK(reader.take(*parser.consume(first, ec)) == progress::more);
    CHECK(reader.take(*parser.consume(first, ec)) == progress::more);
    std::fill(first.begin(), first.end(), '?');
    CHECK(reader.take(*parser.consume(whole, ec)) == progress::complete);
    CHECK(reader.value().items[0].text == "abc");
    CHECK(reader.value().items[1].text == "def");
}

TEST_CASE("reply_reader: one reader can read several messages one after the other", "[redis]")
{
    reply_reader reader;
    for (std::string const message : {"*1\r\n+a\r\n", "*2\r\n+b\r\n+c\r\n", "*0\r\n", "*1\r\n+d\r\n"}) {
        boost::redis::resp3::parser parser;
        boost::system::error_code ec;
        auto last = progress::more;
        while (!parser.done())
            last = reader.take(*parser.consume(message, ec));
        CHECK(last == progress::complete);
    }
    REQUIRE(reader.value().items.size() == 1);
    CHECK(reader.value().items[0].text == "d");
}

TEST_CASE("reply_reader: it skips the elements of nested arrays and maps", "[redis]")
{
    fed const f("*3\r\n*2\r\n:1\r\n%1\r\n+a\r\n:2\r\n:3\r\n*1\r\n+b\r\n");
    REQUIRE(f.last == progress::complete);
    auto const& items = f.reader.value().items;
    REQUIRE(items.size() == 3);
    CHECK(items[0].type == kind::array);
    CHECK(items[1].integer == 3);
    CHECK(items[2].type == kind::array);
}

TEST_CASE("reply_reader: invalid integers, attributes and streamed strings are malformed", "[redis]")
{
    CHECK(fed(":abc\r\n").last == progress::malformed);
    CHECK(fed(":99999999999999999999\r\n").last == progress::malformed);
    CHECK(fed("|1\r\n+a\r\n:1\r\n").last == progress::malformed);
    CHECK(fed("$?\r\n;1\r\na\r\n;0\r\n").last == progress::malformed);
}
