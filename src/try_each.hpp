//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TRY_EACH_HPP
#define HOLDFAST_TRY_EACH_HPP

#include <memory>
#include <utility>
#include <vector>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/lock_base.hpp>

#include "core/clock.hpp"
#include "lockable.hpp"

namespace holdfast::detail {

using lockables = std::vector<std::shared_ptr<lockable const>>;

// How an attempt on a lock ended: with a lease, or without one and an error, or busy.
struct attempt_end {
    error_code ec;
    lease got;
};

using attempt_ends = std::vector<attempt_end>;
using attempts_handler = handler_at<void(error_code, attempt_ends)>;

// One attempt on each of some locks, all at once: void(error_code, attempt_ends), in the order of the locks. Those that
// had no answer within `limit` end with errc::unavailable. Cancelled: operation_aborted, and what was had is given back.
// `all_or_none`: those of one client are tried as one where that is possible; when one of them is not to be had, the others are
// called off, and end with operation_aborted.
struct try_each_launch {
    lockables locks;
    acquire_request request;
    core::duration limit;
    bool all_or_none;

    asio::any_io_executor get_executor() const noexcept { return lock_launch{locks.front()}.get_executor(); }
    void start(attempts_handler) &&;
};

// A function, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
template <class Token>
auto try_each(lockables locks, acquire_request const& request, core::duration limit, bool all_or_none, Token&& token)
{
    return initiate<void(error_code, attempt_ends)>(
        try_each_launch{std::move(locks), request, limit, all_or_none}, std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
