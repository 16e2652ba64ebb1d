//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOSS_HPP
#define HOLDFAST_LOSS_HPP

namespace holdfast {

/// What is known of a lease.
enum class lease_state : unsigned char {
    /// There is none: default-constructed, moved from, or released.
    empty,
    /// Held; renewed in time if it is renewed at all.
    held,
    /// Still held, but a renewal is overdue or failed. It goes back to `held`, or on to `lost`.
    at_risk,
    /// Another client may hold the lock. Final.
    lost,
};

/// Why a lease was lost.
enum class loss : unsigned char {
    /// Its validity ran out before a renewal got through, or its fixed lease ended.
    expired,
    /// The server said that the key is gone or somebody else's.
    gone,
    /// Held for longer than `max_hold`.
    max_hold,
    /// The client was stopped.
    client_stopped,
};

}  // namespace holdfast

#endif
