//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_TENURE_PTR_HPP
#define HOLDFAST_DETAIL_TENURE_PTR_HPP

#include <utility>

#include <holdfast/fwd.hpp>

namespace holdfast::detail {

// A counted reference to what a lease observes.
class tenure_ptr {
public:
    tenure_ptr() = default;
    explicit tenure_ptr(engine::tenure* counted) noexcept : tenure_(counted) {}
    tenure_ptr(tenure_ptr const& other) noexcept;
    tenure_ptr(tenure_ptr&& other) noexcept : tenure_(std::exchange(other.tenure_, nullptr)) {}
    tenure_ptr& operator=(tenure_ptr other) noexcept
    {
        std::swap(tenure_, other.tenure_);
        return *this;
    }
    ~tenure_ptr()
    {
        if (tenure_)
            forget();
    }

    explicit operator bool() const noexcept { return tenure_ != nullptr; }
    engine::tenure* get() const noexcept { return tenure_; }
    engine::tenure* operator->() const noexcept { return tenure_; }
    engine::tenure* detach() noexcept { return std::exchange(tenure_, nullptr); }

private:
    void forget() noexcept;

    engine::tenure* tenure_ = nullptr;
};

}  // namespace holdfast::detail

#endif
