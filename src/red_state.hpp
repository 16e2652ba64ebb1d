//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RED_STATE_HPP
#define HOLDFAST_RED_STATE_HPP

#include <memory>
#include <string>
#include <string_view>

#include <holdfast/options.hpp>

#include "composite.hpp"
#include "red_queue.hpp"

namespace holdfast::detail {

// A red_lock: a lock that a majority of independent servers grants.
class red_state final : public composite {
public:
    red_state(std::string name, lockables members, std::string complaint, red_options const&);

    void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const override;
    std::string complaint_about_extension(std::chrono::milliseconds by) const override;

    red_options const& options() const noexcept { return options_; }
    core::duration node_timeout(core::duration lease) const noexcept;
    core::duration max_lease() const noexcept { return max_lease_; }
    // Equal for handles of one lock: of the same servers, in any order, with the same keys.
    std::string_view key() const noexcept { return key_; }
    // Where the contenders of this process queue; null: the first client is gone.
    std::shared_ptr<red_queue> queue() const;

private:
    std::string complaint_about(acquire_request const&) const;

    red_options const options_;
    core::duration max_lease_ = core::duration::max();
    std::string key_;
};

}  // namespace holdfast::detail

#endif
