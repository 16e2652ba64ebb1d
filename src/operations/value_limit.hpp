//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATIONS_VALUE_LIMIT_HPP
#define HOLDFAST_OPERATIONS_VALUE_LIMIT_HPP

#include <string_view>

namespace holdfast::detail {

// Why a leader cannot have that value; empty: it can.
inline std::string_view value_error(std::string_view value) noexcept
{
    constexpr std::size_t longest = 4096;
    return value.size() > longest ? "value: must not have more than 4096 bytes" : "";
}

}  // namespace holdfast::detail

#endif
