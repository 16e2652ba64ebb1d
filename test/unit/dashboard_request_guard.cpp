//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tool/dashboard/request_guard.hpp"

namespace dashboard_request_guard_test {

using namespace holdfast::cli::dashboard;

guard_rules const local{};
guard_rules const remote{.token = "0123456789abcdef", .is_loopback = false, .host_names = {"locks.example.com"}};

TEST_CASE("request guard: on loopback only names and addresses of this machine are permitted as Host", "[dashboard]")
{
    for (auto const* host :
         {"127.0.0.1:8077",
          "localhost:8077",
          "LocalHost",
          "[::1]:8077",
          "127.0.0.1",
          "127.5.5.5:1",
          "localhost:9000"}) {
        CAPTURE(host);
        CHECK(check({.host = host}, local) == verdict::pass);
    }
    for (auto const* host :
         {"",
          "evil.example:8077",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "10.0.0.1:8077",
          "locks.example.com",
          "::1",
          "[::1",
          "[::1]evil.com",
          "[::1].evil.com:8077",
          "[::1]:8077.evil.com",
          "[::1]:8077@evil.com",
          "127.0.0.1:8077.evil.com",
          "localhost:evil.com",
          "[127.0.0.1]",
          "0x7f000001",
          "localhost@evil.example"}) {
        CAPTURE(host);
        CHECK(check({.host = host}, local) == verdict::forged_host);
    }
}

TEST_CASE(
    "request guard: on another address each address is permitted as Host, and each name that is given", "[dashboard]")
{
    auto rules = remote;
    rules.token.clear();
    CHECK(check({.host = "10.0.0.1:8077"}, rules) == verdict::pass);
    CHECK(check({.host = "[fe80::1]:8077"}, rules) == verdict::pass);
    CHECK(check({.host = "Locks.Example.com"}, rules) == verdict::pass);
    CHECK(check({.host = "locks.example.com:443"}, rules) == verdict::pass);
    CHECK(check({.host = "evil.example"}, rules) == verdict::forged_host);
    CHECK(check({.host = "locks.example.com.evil.example"}, rules) == verdict::forged_host);
}

TEST_CASE("request guard: a request of another origin is refused, also of another port", "[dashboard]")
{
    auto const host = std::string("localhost:8077");
    auto const of = [&](char const* origin) { return check({.host = host, .origin = origin}, local); };
    CHECK(of("http://localhost:8077") == verdict::pass);
    CHECK(of("https://localhost:8077") == verdict::pass);
    for (auto const* origin :
         {"http://localhost:3000",
          "http://evil.example",
          "null",
          "http://localhost:8077.evil.example",
          "localhost:8077",
          "file://localhost:8077",
          "http://127.0.0.1:8077"}) {
        CAPTURE(origin);
        CHECK(of(origin) == verdict::foreign_origin);
    }
}

TEST_CASE("request guard: a request that another site began is refused, except a link to the page", "[dashboard]")
{
    auto const from = [](char const* site, bool is_page) {
        return check({.host = "localhost:8077", .fetch_site = site, .is_public = true, .is_page = is_page}, local);
    };
    CHECK(from("same-origin", false) == verdict::pass);
    CHECK(from("none", false) == verdict::pass);
    CHECK(from("same-site", false) == verdict::foreign_origin);
    CHECK(from("cross-site", false) == verdict::foreign_origin);
    CHECK(from("anything", false) == verdict::foreign_origin);
    CHECK(from("cross-site", true) == verdict::pass);
}

TEST_CASE("request guard: the token is accepted as a field and as a cookie, and nothing else", "[dashboard]")
{
    request_facts const base{.host = "10.0.0.1:8077"};
    auto const with = [&](char const* authorization, char const* cookie) {
        auto facts = base;
        facts.authorization = authorization;
        facts.cookie = cookie;
        return check(facts, remote);
    };
    CHECK(with("Bearer 0123456789abcdef", "") == verdict::pass);
    CHECK(with("", "holdfast_8077=0123456789abcdef") == verdict::pass);
    CHECK(with("", "a=b; holdfast_8077=0123456789abcdef; c") == verdict::pass);
    CHECK(with("", "") == verdict::no_token);
    CHECK(with("Bearer ", "") == verdict::no_token);
    CHECK(with("Bearer 0123456789abcdeF", "") == verdict::no_token);
    CHECK(with("Bearer 0123456789abcdef0", "") == verdict::no_token);
    CHECK(with("0123456789abcdef", "") == verdict::no_token);
    CHECK(with("Basic 0123456789abcdef", "") == verdict::no_token);
    CHECK(with("", "holdfast_8077=; x=0123456789abcdef") == verdict::no_token);
    CHECK(with("", "xholdfast_8077=0123456789abcdef") == verdict::no_token);
    CHECK(with("", ";;; =;") == verdict::no_token);
}

TEST_CASE("request guard: the page itself needs no token, but a permitted Host and Origin", "[dashboard]")
{
    CHECK(check({.host = "10.0.0.1:8077", .is_public = true}, remote) == verdict::pass);
    CHECK(check({.host = "evil.example", .is_public = true}, remote) == verdict::forged_host);
    CHECK(
        check({.host = "10.0.0.1:8077", .origin = "http://evil.example", .is_public = true}, remote)
        == verdict::foreign_origin);
}

TEST_CASE("request guard: secrets are the same only if all bytes are", "[dashboard]")
{
    CHECK(is_same_secret("", ""));
    CHECK(is_same_secret("abc", "abc"));
    for (auto const* other : {"", "a", "ab", "abd", "xbc", "abcd", "ABC"}) {
        CAPTURE(other);
        CHECK_FALSE(is_same_secret("abc", other));
        CHECK_FALSE(is_same_secret(other, "abc"));
    }
}

}  // namespace dashboard_request_guard_test
