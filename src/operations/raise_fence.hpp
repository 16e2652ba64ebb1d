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
inline void start_raise_fence(handler_at<void(error_code, bool)> h, lease_ptr of, std::uint64_t fence)
{
    of->raise_fence(fence, std::move(h));
}

}  // namespace holdfast::detail

#endif
