//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RELEASE_EACH_HPP
#define HOLDFAST_RELEASE_EACH_HPP

#include <cstddef>
#include <vector>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

namespace holdfast::detail {

// Releases several leases at once. Success as soon as a quorum is released; else, when all have ended, what that means
// for the whole. Cancelled: operation_aborted, at once. The others go on, whatever the handler was told.
void release_each(std::vector<lease>, std::size_t quorum, handler_at<void(error_code)>);

}  // namespace holdfast::detail

#endif
