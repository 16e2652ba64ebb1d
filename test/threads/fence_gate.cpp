//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Many threads pass a fence_gate at once: the data that it guards needs no other protection.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/fence_gate.hpp>

namespace holdfast::test {
namespace {

TEST_CASE(
    "with many threads, a fence_gate never executes the work of a token after that of a greater one", "[fence_gate]")
{
    fence_gate gate;
    std::uint64_t written = 0;
    std::uint64_t steps_back = 0;
    std::atomic<std::uint64_t> tokens = 0;
    std::vector<std::jthread> holders;
    for (int i = 0; i < 8; ++i)
        holders.emplace_back([&] {
            for (int n = 0; n < 2000; ++n) {
                auto const token = ++tokens;
                if (n % 3 == 0)
                    std::this_thread::yield();  // lets other threads overtake it
                (void)gate.pass(token, [&] {
                    steps_back += token < written;
                    written = token;
                });
            }
        });
    holders.clear();
    CHECK(steps_back == 0);
    CHECK(written == 8 * 2000);
    CHECK(gate.greatest() == written);
}

}  // namespace
}  // namespace holdfast::test
