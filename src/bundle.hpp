//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BUNDLE_HPP
#define HOLDFAST_BUNDLE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <holdfast/lease.hpp>

#include "lockable.hpp"

namespace holdfast::detail {

// The leases of several locks, held as one: valid while a quorum of them is.
class bundle {
public:
    // `of`: the composite lock that they were taken for.
    bundle(
        std::shared_ptr<lockable const> of,
        std::vector<lease> members,
        std::size_t quorum,
        std::optional<std::uint64_t> fence = {});

    // ---- as the functions of a lease, which sees to it that they do not meet with release() and drop()
    lease_state state() const noexcept;
    std::chrono::steady_clock::time_point valid_until() const noexcept;
    std::optional<std::uint64_t> fence() const noexcept { return fence_; }
    std::optional<std::uint64_t> fence_of(std::string_view member) const noexcept;
    void take_up(bool) noexcept;

    // ---- any thread
    lockable const& lock() const noexcept { return *lock_; }
    void extend(std::chrono::milliseconds, handler_at<void(error_code)>);
    void lost(handler_at<void(error_code, loss)>);
    void release(handler_at<void(error_code)>);
    void drop() noexcept { take(); }

private:
    std::vector<lease> take() noexcept;
    template <class Start>
    auto for_each_member(Start);

    std::shared_ptr<lockable const> const lock_;
    std::size_t const quorum_;
    std::optional<std::uint64_t> const fence_;
    std::mutex mutex_;            // of what is launched while somebody else releases
    std::vector<lease> members_;  // none: released
};

}  // namespace holdfast::detail

#endif
