//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RAISE_FENCE_HPP
#define HOLDFAST_RAISE_FENCE_HPP

#include <cstdint>
#include <memory>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/tenure_ptr.hpp>

#include "lock_state.hpp"

namespace holdfast::detail {

// Raises the counter of a fenced mutex to `fence`, if the grant of that lease still stands: void(error_code, bool), which
// says whether it does.
struct raise_fence_launch {
    std::shared_ptr<lock_state const> lock;
    tenure_ptr holder;
    std::uint64_t fence;

    asio::any_io_executor get_executor() const noexcept;
    void start(handler_at<void(error_code, bool)>) &&;
};

}  // namespace holdfast::detail

#endif
