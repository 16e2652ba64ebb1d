//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MULTI_LOCK_IMPL_HPP
#define HOLDFAST_MULTI_LOCK_IMPL_HPP

#include <string>
#include <utility>

#include "composite/composite_lock.hpp"

namespace holdfast::detail {

// A multi_lock: several locks that are held together, or not at all. The quorum is the number of members: the loss of
// one is the loss of all.
class multi_lock_impl final : public composite_lock {
public:
    multi_lock_impl(std::string name, lock_list members, std::string validation_error)
        : composite_lock(std::move(name), members, members.size(), std::move(validation_error))
    {}

    void accept(lock_visitor& v) const override { v.visit(*this); }
    lock_kind kind() const noexcept override { return lock_kind::multi; }
    bool has_one_fence() const noexcept override { return false; }

private:
    void begin_acquire(handler_at<void(error_code, lease)>, start) const override;
};

}  // namespace holdfast::detail

#endif
