//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "redis/address_choice.hpp"

using namespace holdfast::redis;
using addresses = std::vector<std::string>;

TEST_CASE("next_address: each address in turn, whatever their order", "[redis]")
{
    for (auto const& a : {addresses{"10.0.0.1", "10.0.0.2", "::1"}, addresses{"::1", "10.0.0.2", "10.0.0.1"}}) {
        CHECK(next_address(a, "10.0.0.1") == "10.0.0.2");
        CHECK(next_address(a, "10.0.0.2") == "::1");
        CHECK(next_address(a, "::1") == "10.0.0.1");
        CHECK(next_address(a, "10.0.0.15") == "10.0.0.2");
    }
    CHECK(next_address(addresses{"10.0.0.1"}, "10.0.0.1") == "10.0.0.1");
    CHECK(next_address({}, "10.0.0.1").empty());
}

TEST_CASE("address_choice: the name is not resolved before a replica was met", "[redis]")
{
    address_choice c;
    c.on_ended();
    CHECK_FALSE(c.needs_addresses());
    c.on_established("10.0.0.1");
    c.on_ended();
    CHECK_FALSE(c.needs_addresses());
    CHECK(c.current().empty());
}

TEST_CASE("address_choice: the address after that of a replica, which is kept until it fails", "[redis]")
{
    addresses const both{"10.0.0.1", "10.0.0.2"};
    address_choice c;
    c.on_established("10.0.0.1");
    c.on_read_only();
    c.on_ended();
    REQUIRE(c.needs_addresses());
    c.choose(both);
    CHECK(c.current() == "10.0.0.2");
    CHECK_FALSE(c.needs_addresses());

    SECTION("a connection that was lost leads there again")
    {
        c.on_established("10.0.0.2");
        c.on_ended();
        CHECK_FALSE(c.needs_addresses());
        CHECK(c.current() == "10.0.0.2");
    }
    SECTION("another replica")
    {
        c.on_established("10.0.0.2");
        c.on_read_only();
        REQUIRE(c.needs_addresses());
        c.choose(both);
        CHECK(c.current() == "10.0.0.1");
    }
    SECTION("nobody accepts a connection there")
    {
        c.on_ended();
        c.on_ended();
        REQUIRE(c.needs_addresses());
        c.choose(both);
        CHECK(c.current() == "10.0.0.1");
    }
}

TEST_CASE("address_choice: with a single address the name is used again", "[redis]")
{
    for (auto const& a : {addresses{"10.0.0.1"}, addresses{}}) {
        address_choice c;
        c.on_established("10.0.0.1");
        c.on_read_only();
        c.choose(a);
        CHECK_FALSE(c.needs_addresses());
        CHECK(c.current().empty());
    }
}

TEST_CASE("address_choice: one that follows another leads to where the other is or will be", "[redis]")
{
    addresses const both{"10.0.0.1", "10.0.0.2"};
    address_choice first, second;
    auto const followed = [&] {
        second.follow(first);
        CHECK_FALSE(second.needs_addresses());
        return second.current();
    };
    CHECK(followed().empty());
    first.on_established("10.0.0.1");
    CHECK(followed() == "10.0.0.1");

    SECTION("whatever it meets there itself")
    {
        second.on_ended();
        CHECK(followed() == "10.0.0.1");
        second.on_read_only();
        CHECK(followed() == "10.0.0.1");
    }
    SECTION("not to where the name led before: it may lead elsewhere")
    {
        first.on_ended();
        CHECK(followed().empty());
    }
    SECTION("not to a replica, but to the address after that, which is kept")
    {
        first.on_read_only();
        CHECK(followed().empty());
        first.on_ended();
        first.choose(both);
        CHECK(followed() == "10.0.0.2");
        first.on_established("10.0.0.2");
        first.on_ended();
        CHECK(followed() == "10.0.0.2");
        first.on_ended();
        CHECK(followed().empty());
    }
}
