//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_IMPL_HPP
#define HOLDFAST_LOCK_IMPL_HPP

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/detail/lock_base.hpp>

namespace holdfast::detail {

class multi_lock_impl;
class red_lock_impl;

// Distinguishes the implementations of a lock.
class lock_visitor {
public:
    virtual void visit(single_lock const&) = 0;
    virtual void visit(multi_lock_impl const&) = 0;
    virtual void visit(red_lock_impl const&) = 0;

protected:
    ~lock_visitor() = default;
};

// The implementation of a lock: of one server (single_lock), or of several (composite_lock). Immutable.
class lock_impl : public std::enable_shared_from_this<lock_impl> {
public:
    virtual ~lock_impl() = default;

    virtual void accept(lock_visitor&) const = 0;
    virtual std::string_view name() const noexcept = 0;

    // The client whose executor, clock and log are used; null if it has been destroyed.
    virtual std::shared_ptr<client_state> home() const noexcept = 0;

    virtual void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const = 0;
    virtual void ask_locked(handler_at<void(error_code, bool)>) const = 0;
    virtual void force_release(handler_at<void(error_code, bool)>) const = 0;
    virtual void ask_holders(handler_at<void(error_code, std::vector<holder>)>) const = 0;

    // Why its lease must not be extended by so much; empty: it may be.
    virtual std::string extension_error(std::chrono::milliseconds) const { return {}; }
};

struct lock_access {
    template <class AcquireOptions, class TryOptions>
    static std::shared_ptr<lock_impl const> const& impl_of(lock_base<AcquireOptions, TryOptions> const& l) noexcept
    {
        return l.state_;
    }
};

// What is wrong with the options; null: they are valid.
char const* validation_error(acquire_request const&) noexcept;

// The name as log lines show it. (An unqualified `quoted` would find std::quoted.)
std::string in_quotes(std::string_view name);

}  // namespace holdfast::detail

#endif
