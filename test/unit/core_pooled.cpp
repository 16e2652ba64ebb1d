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
namespace core_pooled_test {

struct counted final : core::pooled<counted> {
    explicit counted(int& n) : alive(n) { ++alive; }
    counted(counted const&) = delete;
    ~counted() { --alive; }

    int& alive;
    char more[100] = {};
};

TEST_CASE("a new object is placed in the block of the object that was destroyed last", "[pooled]")
{
    int alive = 0;
    auto* const first = new counted(alive);
    CHECK(alive == 1);
    delete first;
    CHECK(alive == 0);
    auto const second = std::make_unique<counted>(alive);
    CHECK((second.get() == first || core::most_idle == 0));
}

TEST_CASE("more objects can be destroyed in a row than a thread's free list keeps blocks", "[pooled]")
{
    int alive = 0;
    std::vector<std::unique_ptr<counted>> many;
    for (std::size_t i = 0; i != 2 * core::most_idle + 10; ++i)
        many.push_back(std::make_unique<counted>(alive));
    many.clear();
    CHECK(alive == 0);
}

TEST_CASE("an object may be destroyed on another thread, and after that thread's free list", "[pooled]")
{
    int alive = 0;
    auto* const first = new counted(alive);
    std::thread([&] {
        thread_local std::unique_ptr<counted> late;  // constructed before the free list, so destroyed after it
        delete first;
        late = std::make_unique<counted>(alive);
    }).join();
    CHECK(alive == 0);
}

}  // namespace core_pooled_test
}  // namespace holdfast::test
