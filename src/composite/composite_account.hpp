//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_ACCOUNT_HPP
#define HOLDFAST_COMPOSITE_ACCOUNT_HPP

#include <cstdint>
#include <memory>

#include <boost/asio/error.hpp>

#include <holdfast/detail/lock_base.hpp>
#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "engine/runtime/meters.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// What the events of an acquire and of its lease have in common for the observer.
struct acquire_mark {
    std::uint64_t number;           // 0: there is no observer
    std::shared_ptr<void> context;  // the observer's
};

// Counts the lease of a composite lock as one tenure, from its grant to its end, in the statistics of the client that
// counted the acquire. The tenures of its members are not counted as held, because the user did not acquire them.
class composite_hold {
public:
    composite_hold(
        std::shared_ptr<client_state> const& home,
        engine::composite_meters&,
        std::shared_ptr<lock_impl const> of,
        acquire_mark);
    ~composite_hold();
    composite_hold(composite_hold const&) = delete;
    composite_hold& operator=(composite_hold const&) = delete;

    // The lease is released after it was lost.
    void note_loss() noexcept { is_lost_ = true; }

private:
    std::weak_ptr<client_state> const home_;
    engine::composite_meters& meters_;  // of home_
    std::shared_ptr<lock_impl const> const lock_;
    acquire_mark const acquire_;
    core::instant const started_;
    bool is_lost_ = false;
};

// Counts one acquire of a composite lock, however many attempts on its members it needs, and reports its result to the
// client's observer. The acquire of a member is not counted. May be used by any thread, but not by several at the same
// time.
class composite_account {
public:
    composite_account(
        std::shared_ptr<client_state> home,
        std::shared_ptr<lock_impl const> of,
        acquire_request const&,
        std::shared_ptr<void> context);
    // Counts the acquire as cancelled if end() was not called.
    ~composite_account();
    composite_account(composite_account const&) = delete;
    composite_account& operator=(composite_account const&) = delete;

    // Counts the lease that the acquire completes with, from now to the destruction of the result. Null: the
    // acquire is not counted.
    std::unique_ptr<composite_hold> begin_hold() const;
    // The result of the acquire; the lease is empty with an error, or if the lock is busy.
    void end(error_code, lease const&);

private:
    std::shared_ptr<client_state> home_;      // null: not counted, or counted already
    engine::composite_meters* const meters_;  // of home_; null: not counted
    std::shared_ptr<lock_impl const> const lock_;
    acquire_mark const acquire_;
    core::instant const started_;
};

// The request for a member: it is neither counted nor reported as an acquire of the user.
constexpr acquire_request as_part(acquire_request r) noexcept
{
    r.is_part = true;
    return r;
}

// The error of an acquire that requires connections and lacks some: for the user, or for the composite lock of which it is
// a part, which tells it from a member that is slow (engine::fail_unconnected()).
inline error_code unconnected_error(bool is_part, errc for_user) noexcept
{
    return is_part ? error_code(boost::asio::error::not_connected) : error_code(for_user);
}

}  // namespace holdfast::detail

#endif
