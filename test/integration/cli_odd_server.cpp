//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// A server that lets a client connect, perhaps replies to EXISTS and TIME, and has one reply to everything else, or none.
class odd_server {
public:
    explicit odd_server(std::string reply, bool replies_at_first = false)
        : reply_(std::move(reply)), replies_at_first_(replies_at_first)
    {
        asio::co_spawn(context_, accept(), asio::detached);
        thread_ = std::thread([this] { context_.run(); });
    }
    ~odd_server()
    {
        context_.stop();
        thread_.join();
    }
    odd_server(odd_server const&) = delete;
    odd_server& operator=(odd_server const&) = delete;

    std::string url() const { return "redis://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }

private:
    asio::awaitable<void> accept()
    {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
            asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
        }
    }

    // A packet is one request or a pipeline, which is enough for the tool.
    asio::awaitable<void> serve(tcp::socket socket)
    {
        std::string buffer(65536, '\0');
        for (;;) {
            auto const size = co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
            auto const answer = answer_to(buffer.substr(0, size));
            co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
        }
    }

    std::string answer_to(std::string const& request) const
    {
        std::string const info = "# Server\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\n";
        std::string all;
        std::istringstream words(request);
        for (std::string word; words >> word;)
            if (word == "HELLO")
                all += "%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n";
            else if (word == "INFO" && request.find("HELLO") != request.npos)
                all += "$" + std::to_string(info.size()) + "\r\n" + info + "\r\n";
            else if (word == "PING")
                all += request.find("holdfast") != request.npos ? "$8\r\nholdfast\r\n" : "+PONG\r\n";
            else if (word == "EXISTS" && replies_at_first_)
                all += ":0\r\n";
            else if (word == "TIME" && replies_at_first_)
                all += "*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n";
        return all.empty() ? reply_ : all;
    }

    std::string const reply_;
    bool const replies_at_first_;
    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
    std::thread thread_;
};

std::size_t longest_line(std::string const& text)
{
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);)
        longest = std::max(longest, line.size());
    return longest;
}

}  // namespace

TEST_CASE("cli doctor: a server that answers HELLO and nothing else is not examined any further", "[cli]")
{
    odd_server server("");
    std::string output;
    CHECK(run_tool(server.url(), {"doctor"}, &output) == 1);
    CHECK_THAT(output, ContainsSubstring("BAD   replies"));
    CHECK(count_of(output, "\n") == 2);
}

TEST_CASE("cli doctor: a server that answers the first questions alone is examined until the first silence", "[cli]")
{
    odd_server server("", true);
    std::string output;
    auto const begun = std::chrono::steady_clock::now();
    CHECK(run_tool(server.url(), {"doctor"}, &output) == 1);
    CHECK_THAT(output, ContainsSubstring("BAD   replies") && ContainsSubstring("none in time to INFO"));
    CHECK(count_of(output, "\n") == 2);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(15));  // 3 s for each of the questions
}

TEST_CASE("cli: of a very long error of the server the beginning is printed", "[cli]")
{
    odd_server server("-ERR " + std::string(100'000, 'x') + "\r\n");
    std::string output;
    for (auto const* const verb : {"doctor", "list", "status", "release"}) {
        std::vector<std::string> words{verb};
        if (verb == std::string("status") || verb == std::string("release"))
            words.emplace_back("job");
        if (verb == std::string("release"))
            words.emplace_back("--force");
        CAPTURE(verb);
        CHECK(run_tool(server.url(), words, &output) != 0);
        CHECK_THAT(output, ContainsSubstring("ERR xxx"));
        CHECK(longest_line(output) < 2000);
    }
}
