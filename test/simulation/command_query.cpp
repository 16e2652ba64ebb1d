//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The replies of a server to any command of the tool.

#include "operations/command_query.hpp"

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include "simulation/arena.hpp"

namespace holdfast::test {
namespace {

using asio::awaitable;
using asio::use_awaitable;
using detail::command_reply;
using reply_kind = command_reply::kind;

awaitable<command_reply> reply_to(client& c, std::vector<std::string> words)
{
    co_return co_await detail::query_command(c, 0, std::move(words), use_awaitable);
}

std::vector<std::string> words_of(std::string const& line)
{
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

TEST_CASE("a query of any command copies each kind of reply", "[command_query]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        auto const status = co_await reply_to(c, words_of("SET k v"));
        CHECK(status.type == reply_kind::text);
        CHECK(status.text == "OK");
        auto const number = co_await reply_to(c, words_of("EXISTS k"));
        CHECK(number.type == reply_kind::integer);
        CHECK(number.integer == 1);
        auto const text = co_await reply_to(c, words_of("GET k"));
        CHECK(text.text == "v");
        auto const nil = co_await reply_to(c, words_of("GET none"));
        CHECK(nil.type == reply_kind::nil);
        std::vector<std::string> script = words_of("EVAL script 0");
        script[1] = "return {'a', 7}";
        auto const list = co_await reply_to(c, script);
        CHECK(list.type == reply_kind::list);
        CHECK(list.items == std::vector<std::string>{"a", "7"});
    });
}

TEST_CASE("a query of any command has the error of the server as its reply", "[command_query]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        a.server().model().deny_command("get");
        auto const denied = co_await reply_to(c, words_of("GET k"));
        CHECK(denied.type == reply_kind::error);
        CHECK(denied.text.find("NOPERM") == 0);
        CHECK(c.last_failure().message.empty());  // it is what the caller looks for
    });
}

TEST_CASE("a query of any command without a reply ends with an error", "[command_query]")
{
    arena a;
    auto& c = a.client();
    a.run([&]() -> awaitable<void> {
        co_await c.ready();
        c.stop();
        error_code ec;
        auto const none = co_await detail::query_command(
            c, 0, words_of("GET k"), asio::redirect_error(use_awaitable, ec));
        CHECK(ec == errc::client_stopped);
        CHECK(none.type == reply_kind::none);
    });
}

}  // namespace
}  // namespace holdfast::test
