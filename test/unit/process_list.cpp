//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/process_list.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace {

// The words of `holdfast run` as the process list shows them afterwards, behind the name of the tool.
std::vector<std::string> shown(std::vector<std::string> words)
{
    words.insert(words.begin(), "holdfast");
    std::vector<char*> pointers;
    for (auto& w : words)
        pointers.push_back(w.data());
    holdfast::cli::hide_passwords(static_cast<int>(pointers.size()), pointers.data());
    words.erase(words.begin());
    return words;
}

std::string shown(std::string const& url)
{
    return shown(std::vector{url}).front();
}

}  // namespace

TEST_CASE("process list: the credentials of a URL are overwritten", "[tool]")
{
    CHECK(shown("redis://user:pw@host:6379/1") == "redis://*******@host:6379/1");
    CHECK(shown("--url=redis://:pw@host") == "--url=redis://***@host");
    CHECK(shown("redis://:p@w@host") == "redis://****@host");
    CHECK(shown("unix://user:pw@/path") == "unix://*******@/path");
}

TEST_CASE("process list: what is behind the question mark of a URL is overwritten", "[tool]")
{
    CHECK(shown("redis+sentinel://s1,s2/m?sentinel_password=pw") == "redis+sentinel://s1,s2/m?********************");
    CHECK(shown("redis+sentinel://:pw@s1/m?sentinel_password=pw") == "redis+sentinel://***@s1/m?********************");
    CHECK(shown("--url=rediss+sentinel://s1/m?a=b&c=d") == "--url=rediss+sentinel://s1/m?*******");
    CHECK(shown("unix:///path?db=0") == "unix:///path?****");
}

// Characters that a URL must escape.
TEST_CASE("process list: a question mark in a password, and an at sign behind a question mark", "[tool]")
{
    CHECK(shown("redis://:p?w@host/1") == "redis://***********");
    CHECK(shown("redis+sentinel://s1/m?sentinel_password=p@w") == "redis+sentinel://**************************");
}

TEST_CASE("process list: other words stay, and so do those of the command", "[tool]")
{
    std::vector<std::string> const words{
        "run", "who@where?", "--url", "redis://host:6379/1", "--", "curl", "http://user:pw@host/?q=1"};
    CHECK(shown(words) == words);
}
