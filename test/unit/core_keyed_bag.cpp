//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <deque>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/keyed_bag.hpp"

namespace holdfast::core {
namespace core_keyed_bag_test {

struct thing {
    std::string key;
};

std::size_t comparisons = 0;

struct key_of {
    std::string_view operator()(thing const& t) const noexcept { return t.key; }
};

struct counting_equal {
    bool operator()(std::string_view a, std::string_view b) const noexcept
    {
        ++comparisons;
        return a == b;
    }
};

using bag = keyed_bag<thing, key_of, counting_equal>;

TEST_CASE("a bag finds all values of a key, each as often as it was added", "[keyed_bag]")
{
    thing a{"x"}, b{"x"}, c{"y"};
    bag all;
    CHECK(all.of("x").empty());
    for (auto* t : {&a, &b, &c, &a})
        all.add(*t);
    CHECK(all.size() == 4);
    CHECK(all.of("x").size() == 3);
    CHECK(all.of("y").size() == 1);
    CHECK(all.of("y").front() == &c);
    all.remove(a);
    CHECK(all.of("x").size() == 2);
    all.remove(c);
    CHECK(all.of("y").empty());
    all.remove(a);
    CHECK(all.of("x").front() == &b);
    all.remove(b);
    CHECK(all.size() == 0);
    CHECK(all.of("x").empty());
}

TEST_CASE("a bag finds the other values of a key after the first one was removed and destroyed", "[keyed_bag]")
{
    auto first = std::make_unique<thing>(thing{"a key that is too long to be a part of the string"});
    auto second = std::make_unique<thing>(*first);
    auto const key = first->key;
    bag all;
    all.add(*first);
    all.add(*second);
    all.remove(*first);
    first.reset();
    REQUIRE(all.of(key).size() == 1);
    CHECK(all.of(key).front() == second.get());
    all.remove(*second);
    CHECK(all.size() == 0);
}

// Returns the average number of comparisons for each of `count` values that are added, found and removed.
double comparisons_each(std::size_t count)
{
    std::deque<thing> things;
    for (std::size_t i = 0; i < count; ++i)
        things.push_back({"lock " + std::to_string(i)});
    comparisons = 0;
    bag all;
    for (auto& t : things) {
        REQUIRE(all.of(t.key).empty());
        all.add(t);
    }
    for (auto& t : things)
        all.remove(t);
    return double(comparisons) / double(count);
}

TEST_CASE("the number of comparisons for a key does not grow with the number of keys", "[keyed_bag]")
{
    auto const few = comparisons_each(1'000);
    auto const many = comparisons_each(20'000);
    CAPTURE(few, many);
    CHECK(many < 3 * few + 1);
    CHECK(many < 4);
}

}  // namespace core_keyed_bag_test
}  // namespace holdfast::core
