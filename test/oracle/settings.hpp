//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_SETTINGS_HPP
#define HOLDFAST_TEST_ORACLE_SETTINGS_HPP

#include <cstdint>
#include <cstdlib>

namespace holdfast::test::oracle {

// The number in an environment variable, such as HOLDFAST_ORACLE_STEPS.
inline std::uint64_t number_or(char const* variable, std::uint64_t fallback)
{
    auto const* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

}  // namespace holdfast::test::oracle

#endif
