//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOSS_HPP
#define HOLDFAST_LOSS_HPP

#include <cstddef>
#include <string_view>

namespace holdfast {

/// The state of a lease, as far as its client knows it.
enum class lease_state : unsigned char {
    /// It holds nothing: default-constructed, moved from, released, or downgraded.
    empty,
    /// It is held. If it is renewed, no renewal is overdue.
    held,
    /// It is held, but a renewal is overdue or failed. The next state is `held` or `lost`.
    at_risk,
    /// Another client may hold the lock. It does not change any more.
    lost,
};

/// Why a lease was lost.
enum class loss : unsigned char {
    /// Its validity ended before a renewal was confirmed, or its fixed lease time ended.
    expired,
    /// The server replied that the key is missing or has another token.
    key_missing,
    /// It was held for `max_hold`.
    max_hold,
    /// The client was stopped or destroyed, or its execution context has ended.
    client_stopped,
};

/// The name of the enumerator, for logs.
constexpr std::string_view to_string(lease_state s) noexcept
{
    constexpr std::string_view names[]{"empty", "held", "at_risk", "lost"};
    return names[static_cast<std::size_t>(s)];
}

/// The name of the enumerator, for logs.
constexpr std::string_view to_string(loss l) noexcept
{
    constexpr std::string_view names[]{"expired", "key_missing", "max_hold", "client_stopped"};
    return names[static_cast<std::size_t>(l)];
}

}  // namespace holdfast

#endif
