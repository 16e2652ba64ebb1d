//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCKABLE_HPP
#define HOLDFAST_LOCKABLE_HPP

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/detail/lock_base.hpp>

#include "client_state.hpp"

namespace holdfast::detail {

// What a handle stands for: one lock of one server, or several as one. Immutable.
class lockable : public std::enable_shared_from_this<lockable> {
public:
    virtual ~lockable() = default;

    virtual std::string_view name() const noexcept = 0;

    // Whose executor, clock and log are used; null, or without an executor, when it is gone.
    virtual std::shared_ptr<client_state> home() const noexcept = 0;

    virtual void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const = 0;
    virtual void ask_locked(handler_at<void(error_code, bool)>) const = 0;
    virtual void force_release(handler_at<void(error_code, bool)>) const = 0;
    virtual void ask_holders(handler_at<void(error_code, std::vector<holder>)>) const = 0;
};

struct lock_access {
    template <class AcquireOptions, class TryOptions>
    static std::shared_ptr<lockable const> const& lockable_of(lock_base<AcquireOptions, TryOptions> const& l) noexcept
    {
        return l.state_;
    }
};

// What is wrong with the options; null: nothing.
char const* complaint(acquire_request const&) noexcept;

// The name as messages show it. (An unqualified `quoted` would find std::quoted.)
std::string in_quotes(std::string_view name);

}  // namespace holdfast::detail

#endif
