//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REENTRANT_LOCK_HPP
#define HOLDFAST_REENTRANT_LOCK_HPP

#include <string_view>

#include <boost/config.hpp>

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/options.hpp>
#include <holdfast/owner.hpp>

namespace holdfast {

/// A lock that its owner can acquire again while it holds it. It is free when all its leases are released: k acquires
/// need k releases.
///
/// The client counts re-entries: a re-entry sends nothing and completes at once. Each lease has a lease time, renewal,
/// `max_hold`, loss and release of its own, and a re-entry never changes the end of another lease. The key is deleted
/// when the last lease is released or destroyed.
///
/// A re-entry that requests more time than the server has confirmed first extends the time to live of the key. It waits
/// for that during its `wait` at most. If `wait` ends first, the re-entry is busy, or errc::unavailable if the reply is
/// overdue.
///
/// @par On the server
/// RedissonLock's format, with `fencing` RedissonFencedLock's: a HASH under the name, whose field is the holder.
/// Clients of Redisson and of Holdfast exclude and wake each other.
///
/// @par Order
/// As @ref mutex.
///
/// @par Example
/// @code
/// holdfast::owner me = client.make_owner();
/// holdfast::reentrant_lock order{client, "order:42", me};
/// auto outer = co_await order.acquire();
/// auto inner = co_await order.acquire();   // no round trip
/// @endcode
class BOOST_SYMBOL_VISIBLE reentrant_lock : public detail::lock_base<acquire_options, try_options> {
public:
    /// The options of the lock.
    using options = lock_options;

    /// Sends nothing. With an invalid name, the operations complete with errc::invalid_name.
    ///
    /// @throws std::invalid_argument if another client made the owner.
    reentrant_lock(client const&, std::string_view name, holdfast::owner, options = {});

    /// Whether the owner holds the lock now, through this or another handle, with a lease that is valid by the clock.
    /// Sends nothing. Thread-safe.
    bool is_held() const noexcept;
};

}  // namespace holdfast

#endif
