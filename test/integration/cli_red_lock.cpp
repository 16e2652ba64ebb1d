//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// With several --url options, `holdfast run` uses one red_lock over all these servers.

#include <chrono>
#include <deque>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

struct three_servers {
    three_servers()
    {
        // A server that was started less than a lease time ago does not count, and Redis reports its uptime in whole
        // seconds.
        std::this_thread::sleep_for(4s);
    }

    std::vector<std::string> words(std::vector<std::string> options, std::string script) const
    {
        std::vector<std::string> all{"run", "job", "--lease", "2s"};
        for (auto const& s : servers)
            all.insert(all.end(), {"--url", s.url()});
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), {"--", "sh", "-c", std::move(script)});
        return all;
    }

    int run(std::vector<std::string> options, std::string script, std::string* output = nullptr) const
    {
        return run_tool(servers.front(), words(std::move(options), std::move(script)), output);
    }

    std::size_t keys()
    {
        std::size_t found = 0;
        for (auto& s : servers)
            found += std::size_t(has_key(s, "job"));
        return found;
    }

    std::deque<redis_server> servers = std::deque<redis_server>(3);
};

}  // namespace

TEST_CASE("cli run: several --url options make one red_lock over all these servers", "[cli][red_lock]")
{
    three_servers three;
    std::string output;
    CHECK(three.run({}, "echo token=$HOLDFAST_FENCING_TOKEN; exit 7", &output) == 7);
    CHECK_THAT(output, ContainsSubstring("token=1"));
    CHECK(three.run({"--kind", "reentrant"}, "exit 3") == 3);
    CHECK(three.keys() == 0);

    tool t(three.servers.front(), three.words({}, "echo up; sleep 100"));
    REQUIRE(t.prints("up"));
    CHECK(three.keys() >= 2);  // a server that answers late is left out
    CHECK(three.run({"--wait", "1s"}, "true", &output) == 75);
    CHECK_THAT(output, ContainsSubstring("held by another client"));
    t.send(SIGTERM);
    CHECK(t.wait() == 128 + SIGTERM);
    CHECK(three.keys() == 0);
}

TEST_CASE(
    "cli run: the lock is granted with a minority of the servers down, but not with a majority down", "[cli][red_lock]")
{
    three_servers three;
    std::string output;
    three.servers[0].kill();
    CHECK(three.run({"--wait", "20s"}, "exit 5") == 5);
    three.servers[1].kill();
    CHECK(three.run({"--wait", "1s"}, "true", &output) == 69);
    CHECK_THAT(output, ContainsSubstring("majority of the servers"));
}
