//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/fifo_mutexes.hpp"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::detail {
namespace fifo_mutexes_test {

TEST_CASE("all users of one key share one fifo_mutex", "[fifo_mutexes]")
{
    fifo_mutexes all;
    auto const a = all.of("a");
    CHECK(all.of("a") == a);
    CHECK(all.of("b") != a);
    CHECK(a->try_enter());
    CHECK_FALSE(all.of("a")->try_enter());
}

TEST_CASE("fifo_mutexes without users are removed", "[fifo_mutexes]")
{
    fifo_mutexes all;
    auto const kept = all.of("kept");
    for (int i = 0; i < 10'000; ++i)
        all.of(std::to_string(i));
    CHECK(all.size() < 100);
    CHECK(all.of("kept") == kept);
}

TEST_CASE("fifo_mutexes in use are kept, and are not scanned for each new key", "[fifo_mutexes]")
{
    fifo_mutexes all;
    std::vector<std::shared_ptr<fifo_mutex>> ours;
    for (int i = 0; i < 1'000; ++i)
        ours.push_back(all.of(std::to_string(i)));
    for (int i = 0; i < 100; ++i)
        all.of("cancelled " + std::to_string(i));
    CHECK(all.size() == 1'100);  // no scan yet
    for (int i = 0; i < 10'000; ++i)
        all.of("cancelled, too " + std::to_string(i));
    CHECK(all.size() < 3'000);  // scanned
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(all.of(std::to_string(i)) == ours[static_cast<std::size_t>(i)]);
}

TEST_CASE("a contender enters a fifo_mutex at once after open_all()", "[fifo_mutexes]")
{
    fifo_mutexes all;
    auto const a = all.of("a");
    CHECK(a->try_enter());
    all.open_all();
    CHECK(a->try_enter());
}

TEST_CASE("a fifo_mutex that is requested after open_all() excludes nothing", "[fifo_mutexes]")
{
    fifo_mutexes all;
    all.open_all();
    auto const a = all.of("a");
    CHECK(a->try_enter());
    CHECK(a->try_enter());
}

}  // namespace fifo_mutexes_test
}  // namespace holdfast::detail
