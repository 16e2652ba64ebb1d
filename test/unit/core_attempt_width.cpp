//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <catch2/catch_test_macros.hpp>

#include "core/attempt_width.hpp"

namespace holdfast::core {
namespace core_attempt_width_test {

TEST_CASE("the width of attempts doubles while all contenders are granted, up to a limit", "[attempt_width]")
{
    attempt_width w;
    CHECK(w.now() == 1);
    w.on_all_granted();
    CHECK(w.now() == 2);
    for (int i = 0; i < 10; ++i)
        w.on_all_granted();
    CHECK(w.now() == attempt_width::widest);
}

TEST_CASE("the width of attempts falls to the number of grants, and to one at least", "[attempt_width]")
{
    attempt_width w;
    for (int i = 0; i < 10; ++i)
        w.on_all_granted();
    w.on_granted(5);
    CHECK(w.now() == 5);
    w.on_granted(0);
    CHECK(w.now() == 1);
}

}  // namespace core_attempt_width_test
}  // namespace holdfast::core
