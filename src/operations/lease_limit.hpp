//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATIONS_LEASE_LIMIT_HPP
#define HOLDFAST_OPERATIONS_LEASE_LIMIT_HPP

#include <chrono>
#include <string>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::detail {

// Why a lease of that lock cannot have that lease time, also after an extension; empty: it can. A semaphore lasts a day
// beyond its last renewal, and the client renews after a third of the lease time.
inline std::string lease_error(engine::lock_spec const& lock, std::chrono::milliseconds lease)
{
    bool const is_too_long = lock.protocol->has_permits() && lease > std::chrono::hours(12);
    return is_too_long ? "lease: must be at most 12 h" : "";
}

}  // namespace holdfast::detail

#endif
