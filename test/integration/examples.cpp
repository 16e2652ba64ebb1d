//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The programs of docs/examples, run as a reader of the documentation runs them: each writes what it announces, and ends
// with success.

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

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
        {"fair_lock", "the printer is ours, those above wait"},
        {"fencing", "balance: 34; the stale write of 33 was refused"},
        {"lease", "the lease has expired"},
        {"multi_lock", "both accounts are locked"},
        {"mutex", "no other process is in here"},
        {"read_write_lock", "reads what it has written"},
        {"threads", "the lease was lost: another holder may have worked meanwhile: check before you repeat the work"},
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
