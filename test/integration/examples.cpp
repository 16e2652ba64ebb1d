//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The programs of docs/examples, run as a reader of the documentation runs them: each writes what it announces, and
// ends with success.

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/system/error_code.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/child.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

std::vector<std::string> words_of(std::string const& name, std::vector<std::string> const& urls)
{
    std::vector<std::string> words{HOLDFAST_EXAMPLE + name};
    words.insert(words.end(), urls.begin(), urls.end());
    return words;
}

bool writes(child const& program, std::string const& line)
{
    auto const lines = program.lines();
    return std::ranges::find(lines, line) != lines.end();
}

void check_end(child& program, std::string const& line)
{
    REQUIRE(wait_until([&] { return program.is_over(); }));
    CHECK(program.has_succeeded());
    CHECK(writes(program, line));
}

struct example {
    std::string name;
    std::string line;
};

TEST_CASE("each example for one server ends with success", "[examples]")
{
    auto const [name, line] = GENERATE(values<example>({
        {"credentials", "the server has accepted the token"},
        {"election", "10.0.0.7:8000 leads"},
        {"fair_lock", "the printer is ours, those above wait"},
        {"fencing", "balance: 34; the stale write of 33 was refused"},
        {"latch", "the report was called off"},
        {"lease", "the lease has expired"},
        {"multi_lock", "both accounts are locked"},
        {"mutex", "no other process is in here"},
        {"read_write_lock", "reads what it has written"},
        {"semaphore", "4 of 8 GPUs are in use"},
        {"stats_label", "mutex orders: 2"},
        {"threads", "the lease was lost: another holder may have worked meanwhile: check before you repeat the work"},
        {"tutorial_fencing", "the late report of the first holder: refused"},
        {"tutorial_mutex", "this process writes the report"},
        {"tutorial_try", "another process writes the report"},
        {"tutorial_with_lock", "the lease was lost, and the report was stopped"},
    }));
    CAPTURE(name);
    redis_server const server;
    child program(words_of(name, {server.url()}));
    check_end(program, line);
}

TEST_CASE("the example of fencing needs no server", "[examples]")
{
    child program(words_of("fencing", {}));
    check_end(program, "balance: 34; the stale write of 33 was refused");
}

TEST_CASE("the example of tests needs no server", "[examples]")
{
    child program(words_of("testing", {}));
    check_end(program, "a job that lost its lock stops: passed");
}

// Returns what the server of the tutorial writes to a connection.
std::string answer_of(child const& program)
{
    boost::asio::io_context ioc;
    int const port = std::stoi(program.reported("port "));
    boost::asio::ip::tcp::socket socket(ioc);
    socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
    std::string answer;
    boost::system::error_code ec;  // the server closes the connection
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), ec);
    return answer;
}

TEST_CASE("the tutorial's server works under a lock, and ends after SIGTERM", "[examples]")
{
    redis_server server;
    child program(words_of("tutorial_server", {server.url(), "0"}));
    REQUIRE(wait_until([&] { return !program.reported("port ").empty(); }));
    CHECK(answer_of(program) == "done\n");
    auto const holds = [&] { return server.command({"SET", "counter", "x", "NX", "PX", "60000"}).text == "OK"; };
    REQUIRE(wait_until(holds));  // when the lease of the first connection has been released
    CHECK(answer_of(program) == "busy\n");
    program.signal(SIGTERM);
    check_end(program, "the server has ended");
}

TEST_CASE("the example of a red_lock is granted the lock by a majority of five servers", "[examples]")
{
    std::deque<redis_server> const servers(5);
    std::vector<std::string> urls;
    for (auto const& s : servers)
        urls.push_back(s.url());
    child program(words_of("red_lock", urls));
    check_end(program, "a majority has granted the lock");
}

TEST_CASE("the example of a shutdown releases its lock after SIGTERM", "[examples]")
{
    redis_server server;
    child program(words_of("shutdown", {server.url()}));
    REQUIRE(wait_until([&] { return writes(program, "a job runs"); }));
    program.signal(SIGTERM);
    check_end(program, "the client was stopped");
    CHECK(server.command({"EXISTS", "jobs"}).integer == 0);
}

}  // namespace
}  // namespace holdfast::test
