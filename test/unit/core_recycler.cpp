//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/recycler.hpp"

namespace holdfast::test {
namespace {

struct counted {
    explicit counted(int& n) : alive(n) { ++alive; }
    counted(counted const&) = delete;
    ~counted() { --alive; }

    int& alive;
};

TEST_CASE("a recycler ends each object, and uses its room again", "[recycler]")
{
    core::recycler<counted> r;
    int alive = 0;
    auto* const first = r.make(alive);
    CHECK(alive == 1);
    r.dispose(first);
    CHECK(alive == 0);
    auto* const second = r.make(alive);
    CHECK(second == first);
    r.dispose(second);
}

TEST_CASE("a recycler keeps a bounded room, and frees it at its end", "[recycler]")
{
    core::recycler<counted> r;
    int alive = 0;
    std::vector<counted*> many;
    for (int i = 0; i != 1'000; ++i)
        many.push_back(r.make(alive));
    CHECK(alive == 1'000);
    for (auto* c : many)
        r.dispose(c);
    CHECK(alive == 0);
}

}  // namespace
}  // namespace holdfast::test
