//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <optional>

#include <boost/redis/resp3/parser.hpp>
#include <catch2/catch_test_macros.hpp>

#include "redis/reply_reader.hpp"

namespace redis_reply_reader_test {

using namespace holdfast;
using redis::reply_reader;
using progress = redis::reply_reader::progress;
using kind = engine::reply::kind;

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

TEST_CASE("reply_reader: it reads nested arrays and maps", "[redis]")
{
    fed const f("*3\r\n*2\r\n:1\r\n%1\r\n+a\r\n:2\r\n:3\r\n*1\r\n+b\r\n");
    REQUIRE(f.last == progress::complete);
    auto const& items = f.reader.value().items;
    REQUIRE(items.size() == 3);
    CHECK(items[0].type == kind::array);
    CHECK(items[1].integer == 3);
    CHECK(items[2].type == kind::array);
    REQUIRE(items[0].items.size() == 2);
    CHECK(items[0].items[0].integer == 1);
    REQUIRE(items[0].items[1].items.size() == 2);
    CHECK(items[0].items[1].items[0].text == "a");
    CHECK(items[0].items[1].items[1].integer == 2);
    REQUIRE(items[2].items.size() == 1);
    CHECK(items[2].items[0].text == "b");
}

TEST_CASE("reply_reader: it reads the reply to CLUSTER SLOTS", "[redis][cluster]")
{
    fed const f("*2\r\n"
                "*3\r\n:0\r\n:99\r\n*4\r\n$1\r\nh\r\n:6379\r\n$2\r\nid\r\n*2\r\n+hostname\r\n+n\r\n"
                "*4\r\n:100\r\n:16383\r\n*4\r\n_\r\n:6380\r\n$2\r\nie\r\n*0\r\n*3\r\n+r\r\n:1\r\n+x\r\n");
    REQUIRE(f.last == progress::complete);
    auto const& ranges = f.reader.value().items;
    REQUIRE(ranges.size() == 2);
    REQUIRE(ranges[0].items.size() == 3);
    CHECK(ranges[0].items[1].integer == 99);
    REQUIRE(ranges[0].items[2].items.size() == 4);
    CHECK(ranges[0].items[2].items[0].text == "h");
    CHECK(ranges[0].items[2].items[2].text == "id");
    CHECK(ranges[0].items[2].items[3].items[1].text == "n");
    REQUIRE(ranges[1].items.size() == 4);
    CHECK(ranges[1].items[2].items[0].is_nil());
    CHECK(ranges[1].items[2].items[3].items.empty());
    CHECK(ranges[1].items[3].items[0].text == "r");
}

TEST_CASE("reply_reader: a length that no reply has is malformed", "[redis]")
{
    CHECK(fed("*9000000000\r\n").last == progress::malformed);
    CHECK(fed("*2\r\n*18446744073709551615\r\n").last == progress::malformed);
    CHECK(fed("*2\r\n%9223372036854775808\r\n").last == progress::malformed);
}

TEST_CASE("reply_reader: invalid integers, attributes and streamed strings are malformed", "[redis]")
{
    CHECK(fed(":abc\r\n").last == progress::malformed);
    CHECK(fed(":99999999999999999999\r\n").last == progress::malformed);
    CHECK(fed("|1\r\n+a\r\n:1\r\n").last == progress::malformed);
    CHECK(fed("$?\r\n;1\r\na\r\n;0\r\n").last == progress::malformed);
}

}  // namespace redis_reply_reader_test
