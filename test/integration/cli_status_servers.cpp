//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// `holdfast status` with several --url: the servers of a red_lock.

#include <deque>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

int status_of(std::deque<redis_server> const& servers, std::vector<std::string> options, std::string& output)
{
    std::vector<std::string> words{"status", "job"};
    for (auto const& s : servers)
        words.insert(words.end(), {"--url", s.url()});
    words.insert(words.end(), options.begin(), options.end());
    return run_tool(servers.front(), std::move(words), &output);
}

}  // namespace

TEST_CASE("cli status: several --url print a block for each server and a summary", "[cli][red_lock]")
{
    std::deque<redis_server> servers(3);
    std::string output;
    CHECK(status_of(servers, {}, output) == 0);
    CHECK_THAT(output, ContainsSubstring("server 1:\njob: free\nserver 2:\njob: free\nserver 3:\njob: free\n"));
    CHECK_THAT(output, ContainsSubstring("job: held on 0 of 3 servers, no majority\n"));

    for (auto const i : {0u, 1u})
        servers[i].command({"SET", "job", "0b1c2d3e-0000-4000-8000-000000000001:17", "PX", "60000"});
    CHECK(status_of(servers, {}, output) == 0);
    CHECK_THAT(output, ContainsSubstring("job: held on 2 of 3 servers, a majority\n"));

    servers[1].kill();
    CHECK(status_of(servers, {}, output) == 0);
    CHECK_THAT(output, ContainsSubstring("server 2: cannot connect to Redis: "));
    CHECK_THAT(output, ContainsSubstring("held on 1 of 3 servers, perhaps a majority; the state of 1 is not known\n"));
    CHECK(status_of(servers, {"--json"}, output) == 0);
    auto const all = boost::json::parse(output);
    CHECK(all.at("servers").as_array().size() == 3);
    CHECK(all.at("servers").at(1).at("lock").is_null());
    CHECK(all.at("held_on").to_number<int>() == 1);
    CHECK(all.at("failed_on").to_number<int>() == 1);

    servers[2].kill();
    CHECK(status_of(servers, {}, output) == 69);
}
