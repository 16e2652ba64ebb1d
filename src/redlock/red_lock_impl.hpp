//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_LOCK_IMPL_HPP
#define HOLDFAST_RED_LOCK_IMPL_HPP

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/options.hpp>

#include "composite/composite_lock.hpp"
#include "redlock/red_queue.hpp"

// redlock: the algorithm of red_lock: rounds of attempts on all servers, the counting of node replies, the repair of its
// leases, the queue of its contenders. It may include core, engine, handle, client, operations and composite; only api
// includes it.
namespace holdfast::detail {

// A red_lock: a lock that a majority of independent servers grants. The rounds are in red_acquire and red_round.
class red_lock_impl final : public composite_lock {
public:
    red_lock_impl(std::string name, lock_list members, std::string validation_error, red_options const&);

    void accept(lock_visitor& v) const override { v.visit(*this); }
    lock_kind kind() const noexcept override { return lock_kind::red; }
    bool has_one_fence() const noexcept override { return true; }
    std::string extension_error(std::chrono::milliseconds by) const override;

    // The members as locks of one server each. An invalid red_lock may have other members, which are left out.
    std::vector<single_lock const*> nodes() const { return nodes_of(members()); }
    static std::vector<single_lock const*> nodes_of(lock_list const&);
    red_options const& options() const noexcept { return options_; }
    // How long an exchange waits for servers that may still decide it, with leases of that lease time.
    core::duration node_timeout(core::duration lease) const noexcept;
    // The longest lease time of any client of the lock. All clients must agree on it.
    core::duration max_lease() const noexcept { return max_lease_; }
    // The same for all handles of one lock, which have the same servers and keys, in any order.
    std::string_view key() const noexcept { return key_; }
    // The queue in which the contenders of this process wait for their turn; null: all clients have been destroyed, or
    // their execution contexts have ended.
    std::shared_ptr<red_queue> queue() const;

private:
    std::string request_error(acquire_request const&) const override;
    void begin_acquire(handler_at<void(error_code, lease)>, start) const override;

    red_options const options_;
    core::duration max_lease_ = core::duration::max();
    std::string key_;
};

}  // namespace holdfast::detail

#endif
