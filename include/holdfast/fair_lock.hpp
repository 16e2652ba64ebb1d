//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FAIR_LOCK_HPP
#define HOLDFAST_FAIR_LOCK_HPP

#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {
namespace detail {

struct waiters_launch : lock_launch {
    void start(handler_at<void(error_code, std::vector<holder>)>) &&;
};

}  // namespace detail

/// A lock whose waiters are served in the order in which the server met them, whatever process they are of: first come,
/// first served. Without an owner each acquire is a contender of its own, as with @ref mutex; with one it may be taken
/// again by the same owner, as with @ref reentrant_lock.
///
/// @par Order
/// By the server's clock and the arrival of commands there; the clients' clocks do not matter. A waiter keeps its place
/// however long it waits, over lost replies and new connections, as long as its client reaches the server once in
/// `fair_options::waiter_timeout`. A waiter that died is passed over after that time at the latest: so much each one
/// can delay those behind it. After a stall of the server our scripts pass nobody over for one `waiter_timeout`;
/// Redisson's may, if the stall was longer than that: see docs/redisson.md.
/// @par Priority
/// 1 to 10, default 5. A newcomer goes before the waiters of lower priority at the end of the queue. Nobody is passed
/// more than 30 times, so everybody is served after at most its position at arrival plus 30 grants.
/// @par On the server
/// RedissonFairLock's format: a HASH under the name, whose field is the holder, the LIST `redisson_lock_queue:{name}` and
/// the ZSET `redisson_lock_timeout:{name}`. Redisson's clients and ours exclude and wake each other and stand in one
/// queue; their `fairLockWaitTimeout` must be 300 s, the default, or less. Besides, of ours only:
/// `holdfast_lock_waiters:{name}` (signs of life), `holdfast_lock_priority:{name}`, and with `fencing`
/// `holdfast_fence:{name}`. What belongs to the queue is gone when nobody waits.
/// @par What it costs
/// One script when it is free, one to release it. A waiter among many: about five commands from end to end, the first
/// of a client up to eight. For all waiters of one client: one script each `waiter_timeout` / 3 or
/// `config::poll_interval`, whichever is less; never more than two a second. No hand-off inside the process: every grant
/// comes from the server.
/// @par Attempts without waiting
/// `try_acquire()` without `wait` takes no place, and passes nobody: it is busy also while the lock is free and somebody
/// waits for it.
/// @par Cancellation
/// As in `acquire()` of every lock. The place in the queue is given up, and nothing of it is left on the server.
///
/// @par Example
/// @code
/// holdfast::fair_lock printer{client, "printer", {.waiter_timeout = 5s}};
/// auto lease = co_await printer.acquire({.priority = 8});
/// @endcode
class fair_lock : public detail::lock_base<fair_acquire_options, fair_try_options> {
public:
    using options = fair_options;

    /// Sends nothing. A bad name is told by the operations, as errc::invalid_name.
    ///
    /// @throws std::invalid_argument when `waiter_timeout` is less than 1 s.
    fair_lock(client const&, std::string_view name, options = {});

    /// As above, with re-entry by owner.
    ///
    /// @throws std::invalid_argument also when the owner was made by another client.
    fair_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// Who waits, in order; `remaining` is how long each is believed to be alive without a sign of life.
    ///
    /// @par On the server
    /// One script that only reads.
    /// @par Errors
    /// errc::wrong_type, errc::unavailable, errc::not_permitted, errc::invalid_name, errc::not_running,
    /// errc::client_stopped.
    /// @par Cancellation
    /// Terminal, partial, total: ends at once.
    template <token_for<void(error_code, std::vector<holder>)> Token = asio::deferred_t>
    [[nodiscard]] auto waiters(Token&& token = {}) const
    {
        return detail::initiate<void(error_code, std::vector<holder>)>(ask_waiters(), std::forward<Token>(token));
    }

private:
    detail::waiters_launch ask_waiters() const;
};

}  // namespace holdfast

#endif
