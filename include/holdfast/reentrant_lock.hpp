//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REENTRANT_LOCK_HPP
#define HOLDFAST_REENTRANT_LOCK_HPP

#include <string_view>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {

/// A lock that its owner may take again while it holds it. It is free when every lease is released: k acquires need k
/// releases.
///
/// Re-entry is counted in the client: it sends nothing and completes at once. Each lease has terms of its own: its own lease
/// time, renewal and `max_hold`, its own loss, and its own release. A re-entry never changes when another lease ends. The
/// key is deleted when the last lease is released or destroyed.
///
/// A re-entry that asks for more time than the server has confirmed extends the key's time to live first. It waits for that
/// no longer than its `wait`: should that end first, the re-entry is busy, or errc::unavailable when the answer is overdue.
///
/// @par On the server
/// RedissonLock's format (RedissonFencedLock's with `fencing`): a HASH under the name, whose field is the holder.
/// Redisson's clients and ours exclude and wake each other.
///
/// @par Example
/// @code
/// holdfast::reentrant_lock order{client, "order:42", me};
/// auto outer = co_await order.acquire();
/// auto inner = co_await order.acquire();   // no round trip
/// @endcode
class reentrant_lock : public detail::lock_base<acquire_options, try_options> {
public:
    using options = lock_options;

    /// Sends nothing. A bad name is told by the operations, as errc::invalid_name.
    ///
    /// @throws std::invalid_argument when the owner was made by another client.
    reentrant_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// Whether the owner holds the lock now, through this or another handle. Reads memory, sends nothing.
    bool is_held() const noexcept;
};

}  // namespace holdfast

#endif
