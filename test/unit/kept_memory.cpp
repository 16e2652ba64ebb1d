//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/kept_memory.hpp"

#include <array>
#include <cstddef>
#include <memory>

#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

using fitting = std::array<std::byte, kept_memory::size>;
using too_large = std::array<std::byte, kept_memory::size + 1>;

TEST_CASE("kept memory: it serves one function at a time", "[strand]")
{
    auto const memory = std::make_shared<kept_memory>();
    kept_allocator<fitting> a{memory};
    auto* const first = a.allocate(1);
    auto* const second = a.allocate(1);
    CHECK(second != first);
    a.deallocate(second, 1);
    auto* const third = a.allocate(1);
    CHECK(third != first);
    a.deallocate(first, 1);
    auto* const fourth = a.allocate(1);
    CHECK(fourth == first);
    a.deallocate(third, 1);
    a.deallocate(fourth, 1);
}

TEST_CASE("kept memory: a function that is too large for it has other memory", "[strand]")
{
    auto const memory = std::make_shared<kept_memory>();
    kept_allocator<too_large> a{memory};
    auto* const large = a.allocate(1);
    kept_allocator<fitting> b(a);
    auto* const small = b.allocate(1);
    CHECK(static_cast<void*>(small) != static_cast<void*>(large));
    a.deallocate(large, 1);
    CHECK(memory->take() == nullptr);
    b.deallocate(small, 1);
    CHECK(memory->take() == small);
}

TEST_CASE("kept memory: an allocator without it uses other memory", "[strand]")
{
    kept_allocator<fitting> none;
    auto* const p = none.allocate(1);
    none.deallocate(p, 1);
    CHECK(none == kept_allocator<fitting>());
    CHECK(none != kept_allocator<fitting>(std::make_shared<kept_memory>()));
}

}  // namespace
}  // namespace holdfast::engine
