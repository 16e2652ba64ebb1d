//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_QUORUM_HPP
#define HOLDFAST_QUORUM_HPP

#include <chrono>
#include <cstddef>
#include <span>

#include <holdfast/error.hpp>

namespace holdfast::detail {

// The result of an operation on a composite lease, from the results of its members. Precondition: one for each member.
error_code classify(std::span<error_code const> ends, std::size_t quorum);

// The latest instant until which a quorum of leases with these ends is valid; time_point() if there are fewer than
// a quorum. Reorders `ends`.
std::chrono::steady_clock::time_point quorum_end(
    std::span<std::chrono::steady_clock::time_point> ends, std::size_t quorum) noexcept;

}  // namespace holdfast::detail

#endif
