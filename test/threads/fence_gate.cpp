//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A gate is passed by many threads at once: what it guards needs nothing else.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <holdfast/fence_gate.hpp>

namespace holdfast::test {
namespace {

TEST_CASE("what a gate guards never goes back, whoever comes late", "[fence_gate]")
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
                    std::this_thread::yield();  // is overtaken
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
