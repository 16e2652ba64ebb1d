//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <memory>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/pooled.hpp"

namespace holdfast::test {
namespace {

struct counted final : core::pooled<counted> {
    explicit counted(int& n) : alive(n) { ++alive; }
    counted(counted const&) = delete;
    ~counted() { --alive; }

    int& alive;
    char room_for_more[100] = {};
};

TEST_CASE("an object is made in the block that the last one left", "[pooled]")
{
    int alive = 0;
    auto* const first = new counted(alive);
    CHECK(alive == 1);
    delete first;
    CHECK(alive == 0);
    auto const second = std::make_unique<counted>(alive);
    CHECK((second.get() == first || core::most_idle == 0));
}

TEST_CASE("a thread keeps so many blocks, and no more", "[pooled]")
{
    int alive = 0;
    std::vector<std::unique_ptr<counted>> many;
    for (std::size_t i = 0; i != 2 * core::most_idle + 10; ++i)
        many.push_back(std::make_unique<counted>(alive));
    many.clear();
    CHECK(alive == 0);
}

TEST_CASE("an object may end on another thread, and after the thread's own objects", "[pooled]")
{
    int alive = 0;
    auto* const first = new counted(alive);
    std::thread([&] {
        thread_local std::unique_ptr<counted> late;  // begins before the shelf is used, so it ends after it
        delete first;
        late = std::make_unique<counted>(alive);
    }).join();
    CHECK(alive == 0);
}

}  // namespace
}  // namespace holdfast::test
