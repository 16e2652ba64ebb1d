//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FAIR_LOCK_HPP
#define HOLDFAST_FAIR_LOCK_HPP

#include <string_view>
#include <utility>
#include <vector>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>
#include <holdfast/waiter.hpp>

namespace holdfast {
namespace detail {

BOOST_SYMBOL_VISIBLE void start_waiters(handler_at<void(error_code, std::vector<waiter>)>, lock_ptr);

}  // namespace detail

/// A lock whose waiters are served in the order in which they arrived at the server, across all processes: first come,
/// first served. Without an owner each acquire is a contender of its own, as with @ref mutex. With an owner, that owner
/// can acquire it again, as with @ref reentrant_lock.
///
/// @par Order
/// By the arrival of commands at the server and by the server's clock; the clocks of clients do not matter. A waiter
/// keeps its place as long as it waits, over lost replies and new connections, if its client reaches the server at
/// least once in `fair_options::waiter_timeout`. A waiter whose process has died is removed after that time at the
/// latest: that is how long it can delay those behind it. After a stall of the server, Holdfast's scripts remove no
/// waiter for one `waiter_timeout`; Redisson's scripts may, if the stall was longer than that: see docs/redisson.md.
/// @par Priority
/// 1 to 10, default 5. A new waiter goes before the waiters of lower priority at the end of the queue, but
/// overtakes a thousand at most. No waiter is overtaken more than 30 times, so each is served after at most its position
/// at arrival plus 30 grants.
/// @par On the server
/// RedissonFairLock's format: a HASH under the name, whose field is the holder, the LIST `redisson_lock_queue:{name}`
/// and the ZSET `redisson_lock_timeout:{name}`. Clients of Redisson and of Holdfast exclude and wake each other, and
/// wait in one queue. Redisson's `fairLockWaitTimeout` must be 300 s, its default, or less. Only Holdfast uses
/// `holdfast_lock_waiters:{name}` (when each waiter arrived and was refreshed), `holdfast_lock_priority:{name}`, and
/// with `fencing` `holdfast_fence:{name}`. The keys of the queue are deleted with the last waiter.
/// @par Cost
/// If it is free: one script to acquire it and one to release it. A waiter among many needs about five commands in all,
/// the first waiter of a client up to eight. For all waiters of one client together: one script each `waiter_timeout` /
/// 3 or each `config::poll_interval`, whichever is less, and never more than two in a second. There is no hand-off
/// inside the process: the server makes every grant.
/// @par One attempt
/// `try_acquire()` without `wait` takes no place in the queue and overtakes no waiter. So it is busy also if the lock
/// is free and has a waiter.
/// @par Cancellation
/// As `acquire()` of every lock. The client also removes the place in the queue from the server.
/// @par Errors
/// As every lock; errc::wrong_type also if a key of the queue, or the fencing counter, is of another type.
///
/// @par Example
/// @code
/// holdfast::fair_lock printer{client, "printer", {.waiter_timeout = 5s}};
/// auto lease = co_await printer.acquire({.priority = 8});
/// @endcode
class BOOST_SYMBOL_VISIBLE fair_lock : public detail::lock_base<fair_acquire_options, fair_try_options> {
public:
    /// The options of the lock.
    using options = fair_options;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// @throws std::invalid_argument if `waiter_timeout` is less than 1 s.
    fair_lock(client const&, std::string_view name, options = {});

    /// As above; the owner can acquire the lock again while it holds it.
    ///
    /// @throws std::invalid_argument also if another client made the owner.
    fair_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// Reads the waiters, in the order in which they will be served.
    ///
    /// @par On the server
    /// One script that only reads, for each thousand waiters; other commands are executed between two of them. The result
    /// has each waiter that waits all the time, unless its place changes.
    /// @par Completion
    /// With the waiters, or with an error, within `config::command_timeout`.
    /// @par Errors
    /// - errc::wrong_type: a key of the queue is of another type
    /// - errc::unavailable: as `is_locked()`
    /// - errc::not_permitted, errc::protocol, errc::invalid_name, errc::not_running, errc::client_stopped
    /// @par Cancellation
    /// Terminal, partial, total: completes at once with `operation_aborted`.
    template <token_for<void(error_code, std::vector<waiter>)> Token = default_token>
    [[nodiscard]] auto waiters(Token&& token = {}) const
    {
        return detail::initiate(detail::start_waiters, std::forward<Token>(token), impl());
    }
};

}  // namespace holdfast

#endif
