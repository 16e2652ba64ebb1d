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

#include "composite/client_list.hpp"
#include "core/clock.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

class attempts;

// The result of an attempt on a lock: a lease, or an error, or neither when the lock is busy.
struct attempt_end {
    described_error ec = {};  // its text begins with the name of the lock
    lease got = {};
};

using attempt_ends = std::vector<attempt_end>;
using attempts_handler = handler_at<void(error_code, attempt_ends)>;

// Receives the results of attempts one by one, for a caller that need not wait for all of them: a red_lock needs a
// majority. Thread-safe. The engine may be the caller, so the functions must not call the engine.
class collector {
public:
    virtual ~collector() = default;

    // Called before the first result, with the object that can cancel the attempts.
    virtual void begin(boost::intrusive_ptr<attempts>) = 0;
    // Returns true when the results so far are enough; the other attempts go on in the background.
    virtual bool take(std::size_t place, attempt_end) = 0;
    // From now on every grant is released, and attempts that are under way are cancelled. Called at the end of the
    // composite lease that late grants may join.
    virtual void refuse() noexcept = 0;
};

// One attempt on each of several locks, in parallel: void(error_code, attempt_ends), in the order of the locks. Others follow
// it unless the request is a single attempt itself.
// - An attempt without a reply within `limit` ends with errc::unavailable; without a limit, one whose client stands
//   still for command_timeout.
// - A cancellation completes it at once with operation_aborted, and all that was granted is released.
// - `all_or_none`: the locks of one client are acquired by one script where that is possible. If one of them is held,
//   the attempts on the others are cancelled, and end with operation_aborted.
// - `into`: receives the results instead of the handler, which is called as soon as the collector has enough; attempts
//   that are under way then go on.
//
// It waits for no client: an attempt that its client ends later is released then. It waits for members that are
// composite locks, which end as promptly, on the executor of its handler.
//
// Precondition: there is at least one lock.
struct try_each_request {
    lock_list locks;
    acquire_request request;
    core::duration limit;
    bool all_or_none;
    client_list clocks;  // whose timers keep the limit if the client of a lock stands still
    std::shared_ptr<collector> into = {};

    asio::any_io_executor get_executor() const noexcept { return executor_of(locks.front()); }
};

void start_try_each(attempts_handler, try_each_request);

// A function, because GCC 12 calls the destructor of an aggregate twice if a co_await expression makes it.
template <class Token>
auto try_each(
    lock_list locks,
    acquire_request const& request,
    core::duration limit,
    bool all_or_none,
    client_list clocks,
    std::shared_ptr<collector> into,
    Token&& token)
{
    return initiate(
        start_try_each,
        std::forward<Token>(token),
        {std::move(locks), request, limit, all_or_none, std::move(clocks), std::move(into)});
}

}  // namespace holdfast::detail

#endif
