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
#include <holdfast/lock_kind.hpp>

#include "handle/named_error.hpp"

// handle: the implementations that public handles and leases refer to, as interfaces, and how a result reaches
// its handler. It may include core and engine only: client, operations, composite and redlock implement the
// interfaces or call them.
namespace holdfast::detail {

class multi_lock_impl;
class red_lock_impl;

// Distinguishes the implementations of a lock, without a dynamic_cast: a new implementation does not compile until
// every visitor handles it.
class lock_visitor {
public:
    virtual void visit(single_lock const&) = 0;
    virtual void visit(multi_lock_impl const&) = 0;
    virtual void visit(red_lock_impl const&) = 0;

protected:
    ~lock_visitor() = default;
};

// The implementation of a lock: of one server (single_lock), or of several (composite_lock). Immutable, so that copies
// of a handle share it and any thread may use it. Operations share ownership of it: handles may be destroyed first.
class lock_impl : public std::enable_shared_from_this<lock_impl> {
public:
    virtual ~lock_impl() = default;

    virtual void accept(lock_visitor&) const = 0;
    virtual lock_kind kind() const noexcept = 0;
    virtual std::string_view name() const noexcept = 0;
    // The members of a multi_lock or a red_lock; null: a lock of one server.
    virtual std::vector<std::shared_ptr<lock_impl const>> const* parts() const noexcept { return nullptr; }

    // The client whose executor, clock and log are used; null if it has been destroyed. Another thread may destroy it
    // at any time, so a caller calls home() once and keeps the result.
    virtual std::shared_ptr<client_state> home() const noexcept = 0;

    // The operations of the public handle; thread-safe. Each completes once, as if posted, even if its
    // arguments are invalid.
    virtual void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const = 0;
    virtual void query_locked(handler_at<void(error_code, bool)>) const = 0;
    virtual void force_release(handler_at<void(error_code, bool)>) const = 0;
    virtual void query_holders(handler_at<void(error_code, std::vector<holder>)>) const = 0;

    // Why a lease of this lock must not be extended by that time; empty: it may be. A red_lock
    // has the limit max_lease, a semaphore 12 h.
    virtual std::string extension_error(std::chrono::milliseconds) const { return {}; }
};

// The implementation of a public handle, for the library only.
struct lock_access {
    template <class AcquireOptions, class TryOptions>
    static std::shared_ptr<lock_impl const> const& impl_of(lock_base<AcquireOptions, TryOptions> const& l) noexcept
    {
        return l.state_;
    }
};

// Why the options are invalid, beginning with the name of the option; null: they are valid.
char const* validation_error(acquire_request const&) noexcept;

}  // namespace holdfast::detail

#endif
