//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_ACCOUNT_HPP
#define HOLDFAST_COMPOSITE_ACCOUNT_HPP

#include <cstdint>
#include <memory>

#include <holdfast/detail/lock_base.hpp>

#include "core/clock.hpp"
#include "engine/runtime/meters.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// Counts the lease of a composite lock as one tenure, from its grant to its end, in the statistics of the client that
// counted the acquire. The tenures of its members are not counted as held, because the user did not acquire them.
class composite_hold {
public:
    // `acquire`: its number.
    composite_hold(
        std::shared_ptr<client_state> const& home,
        engine::composite_meters&,
        std::shared_ptr<lock_impl const> of,
        std::uint64_t acquire);
    ~composite_hold();
    composite_hold(composite_hold const&) = delete;
    composite_hold& operator=(composite_hold const&) = delete;

private:
    std::weak_ptr<client_state> const home_;
    engine::composite_meters& meters_;  // of home_
    std::shared_ptr<lock_impl const> const lock_;
    std::uint64_t const acquire_;
    core::instant const started_;
};

// Counts one acquire of a composite lock, however many attempts on its members it needs, and reports its result to the
// client's observer. The acquire of a member is not counted. May be used by any thread, but not by several at the same
// time.
class composite_account {
public:
    composite_account(std::shared_ptr<client_state> home, std::shared_ptr<lock_impl const> of, acquire_request const&);
    // Counts the acquire as cancelled if end() was not called.
    ~composite_account();
    composite_account(composite_account const&) = delete;
    composite_account& operator=(composite_account const&) = delete;

    // Counts the lease that the acquire completes with, from now to the destruction of the result. Null: the
    // acquire is not counted.
    std::unique_ptr<composite_hold> begin_hold() const;
    // The result of the acquire; `is_had`: it has a lease.
    void end(error_code, bool is_had);

private:
    std::shared_ptr<client_state> home_;      // null: not counted, or counted already
    engine::composite_meters* const meters_;  // of home_; null: not counted
    std::shared_ptr<lock_impl const> const lock_;
    std::uint64_t const acquire_;  // its number
    core::instant const started_;
};

// The request for a member: it is neither counted nor reported as an acquire of the user.
constexpr acquire_request as_part(acquire_request r) noexcept
{
    r.is_part = true;
    return r;
}

}  // namespace holdfast::detail

#endif
