//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_ACCOUNT_HPP
#define HOLDFAST_COMPOSITE_ACCOUNT_HPP

#include <memory>

#include <holdfast/detail/lock_base.hpp>

#include "lockable.hpp"

namespace holdfast::detail {

// Counts the lease of a composite lock as one tenure, from its making to its end, at the client that counted the acquire.
class composite_hold {
public:
    composite_hold(std::shared_ptr<client_state> const& home, std::shared_ptr<lockable const> of);
    ~composite_hold();
    composite_hold(composite_hold const&) = delete;
    composite_hold& operator=(composite_hold const&) = delete;

private:
    std::weak_ptr<client_state> const home_;
    std::shared_ptr<lockable const> const lock_;
    core::instant const started_;
};

// Counts one acquire of a composite lock, whatever it takes of its members, and tells the client's observer how it ended.
// An acquire that is a part of another one is not counted. Any thread, one at a time.
class composite_account {
public:
    composite_account(std::shared_ptr<client_state> home, std::shared_ptr<lockable const> of, acquire_request const&);
    // Cancelled, unless it has ended.
    ~composite_account();
    composite_account(composite_account const&) = delete;
    composite_account& operator=(composite_account const&) = delete;

    void end(error_code, lease&);

private:
    std::shared_ptr<client_state> home_;  // null: not counted, or not any more
    std::shared_ptr<lockable const> const lock_;
    core::instant const started_;
};

// The request for a member.
constexpr acquire_request as_part(acquire_request r) noexcept
{
    r.is_part = true;
    return r;
}

}  // namespace holdfast::detail

#endif
