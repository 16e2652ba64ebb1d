//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TRY_EACH_HPP
#define HOLDFAST_TRY_EACH_HPP

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/lock_base.hpp>

#include "core/clock.hpp"
#include "lockable.hpp"

namespace holdfast::detail {

class attempts;

using lockables = std::vector<std::shared_ptr<lockable const>>;

// How an attempt on a lock ended: with a lease, or without one and an error, or busy.
struct attempt_end {
    error_code ec;
    lease got;
};

using attempt_ends = std::vector<attempt_end>;
using attempts_handler = handler_at<void(error_code, attempt_ends)>;

// Takes the ends of attempts as they come, for somebody who need not wait for all of them. Any thread, perhaps from inside
// the engine.
class collector {
public:
    virtual ~collector() = default;

    // Before the first of them.
    virtual void begin(boost::intrusive_ptr<attempts>) = 0;
    // True: what came suffices; the others go on in the background.
    virtual bool take(std::size_t place, attempt_end) = 0;
    // Nothing is wanted any more.
    virtual void refuse() noexcept = 0;
};

// One attempt on each of some locks, all at once: void(error_code, attempt_ends), in the order of the locks. Those that
// had no answer within `limit` end with errc::unavailable. Cancelled: operation_aborted, and what was had is given back.
// `all_or_none`: those of one client are tried as one where that is possible; when one of them is not to be had, the others are
// called off, and end with operation_aborted.
// `into`: is given the ends, instead of the handler, which is called as soon as what came suffices.
struct try_each_launch {
    lockables locks;
    acquire_request request;
    core::duration limit;
    bool all_or_none;
    std::shared_ptr<collector> into = {};

    asio::any_io_executor get_executor() const noexcept { return lock_launch{locks.front()}.get_executor(); }
    void start(attempts_handler) &&;
};

// Functions, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
template <class Token>
auto try_each(lockables locks, acquire_request const& request, core::duration limit, bool all_or_none, Token&& token)
{
    return initiate<void(error_code, attempt_ends)>(
        try_each_launch{std::move(locks), request, limit, all_or_none}, std::forward<Token>(token));
}

template <class Token>
auto try_each_into(
    std::shared_ptr<collector> into,
    lockables locks,
    acquire_request const& request,
    core::duration limit,
    Token&& token)
{
    return initiate<void(error_code, attempt_ends)>(
        try_each_launch{std::move(locks), request, limit, false, std::move(into)}, std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
