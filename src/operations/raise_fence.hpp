//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RAISE_FENCE_HPP
#define HOLDFAST_RAISE_FENCE_HPP

#include <cstdint>
#include <utility>

#include "handle/completion.hpp"

namespace holdfast::detail {

// lease_impl::raise_fence() as an operation: void(error_code, bool).
struct raise_fence_launch : lease_launch {
    std::uint64_t fence;
    void start(handler_at<void(error_code, bool)> h) && { of->raise_fence(fence, std::move(h)); }
};

}  // namespace holdfast::detail

#endif
