//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/quorum.hpp"

#include <algorithm>
#include <functional>

namespace holdfast::detail {
namespace {

// With these errors the lease of a member has ended for good.
bool is_lost(error_code ec) noexcept
{
    return ec == errc::lease_lost || ec == errc::client_stopped;
}

}  // namespace

// A quorum of successes is a success. If so many members are lost that no quorum is left, the lease is lost; of the two
// reasons lease_lost is reported first, because another contender may hold the lock. Otherwise a quorum may still hold
// it, and the first other error says why that is not confirmed.
error_code classify(std::span<error_code const> ends, std::size_t quorum)
{
    auto const none = error_code();
    if (static_cast<std::size_t>(std::ranges::count(ends, none)) >= quorum)
        return {};
    if (ends.size() - static_cast<std::size_t>(std::ranges::count_if(ends, is_lost)) < quorum)
        return std::ranges::count(ends, error_code(errc::lease_lost)) > 0 ? errc::lease_lost : errc::client_stopped;
    return *std::ranges::find_if(ends, [](error_code ec) { return ec && !is_lost(ec); });
}

// The lease is valid until fewer than `quorum` members are: until the end that is number `quorum` from the latest.
std::chrono::steady_clock::time_point quorum_end(
    std::span<std::chrono::steady_clock::time_point> ends, std::size_t quorum) noexcept
{
    if (quorum == 0 || ends.size() < quorum)
        return std::chrono::steady_clock::time_point();
    auto const at = ends.begin() + static_cast<std::ptrdiff_t>(quorum - 1);
    std::ranges::nth_element(ends, at, std::ranges::greater());
    return *at;
}

}  // namespace holdfast::detail
