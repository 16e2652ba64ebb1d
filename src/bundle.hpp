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
#include <tuple>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast/lease.hpp>

#include "composite_account.hpp"
#include "lockable.hpp"
#include "try_each.hpp"

namespace holdfast::detail {

class composite;

// The leases of several locks, held as one: valid while a quorum of them is. It may grow until it is released or lost.
class bundle : public std::enable_shared_from_this<bundle> {
public:
    // `of`: the composite lock that they were taken for. `more`: where further ones may come from; is told when none are
    // wanted any more.
    bundle(
        std::shared_ptr<composite const> of,
        std::vector<lease> members,
        std::size_t quorum,
        std::optional<std::uint64_t> fence = {},
        std::shared_ptr<collector> more = {});

    // ---- as the functions of a lease, which sees to it that they do not meet with release() and drop()
    lease_state state() const noexcept;
    std::chrono::steady_clock::time_point valid_until() const noexcept;
    std::optional<std::uint64_t> fence() const noexcept { return fence_; }
    std::optional<std::uint64_t> fence_of(std::string_view member) const noexcept;
    void take_up(bool) noexcept;

    // Before anybody else knows it.
    void count_by(std::unique_ptr<composite_hold> h) noexcept { hold_ = std::move(h); }

    // ---- any thread
    lockable const& lock() const noexcept;
    void extend(std::chrono::milliseconds, handler_at<void(error_code)>);
    void lost(handler_at<void(error_code, loss)>);
    void release(handler_at<void(error_code)>);
    void drop() noexcept { take(); }
    // A lease that was granted after the others. It is released where it comes too late: what was lost is not had again.
    void join(lease);

private:
    using loss_outcome = std::tuple<error_code, loss>;

    static asio::awaitable<loss_outcome> await_loss(std::shared_ptr<bundle>);
    bool refuses_extension(std::chrono::milliseconds by) const;
    lease_state judge_members() const noexcept;
    bool is_released() const noexcept;
    bool has_grown_from(std::size_t size) const noexcept;
    std::vector<lease> take() noexcept;
    template <class Start>
    auto for_each_member(Start);

    std::shared_ptr<composite const> const lock_;
    std::size_t const quorum_;
    std::optional<std::uint64_t> const fence_;

    mutable std::mutex mutex_;    // of what follows
    std::vector<lease> members_;  // none: released
    std::shared_ptr<collector> more_;
    std::unique_ptr<composite_hold> hold_;
    bool is_taken_up_ = false;
};

}  // namespace holdfast::detail

#endif
