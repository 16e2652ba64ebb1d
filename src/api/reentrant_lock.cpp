//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <holdfast/reentrant_lock.hpp>

#include "operations/single_lock.hpp"

namespace holdfast {
// The keys are those of RedissonLock. A fenced lock also shares the counter of RedissonFencedLock, so that the fencing
// tokens of both libraries are one increasing sequence.
reentrant_lock::reentrant_lock(client const& c, std::string_view name, holdfast::owner owner, options o)
    : lock_base(detail::single_lock::make(
        c,
        name,
        detail::single_lock::at_home(c, std::move(owner.state_)),
        [&](std::string_view key) -> detail::single_lock::traits {
            return {
                .protocol = engine::reentrant_protocol(o.fencing),
                .channel = core::unlock_channel(key),
                .counter = o.fencing ? core::redisson_fence_key(key) : std::string()};
        }))
{}

// Reads the owner's list of tenures, which a mutex guards: any thread may call it.
bool reentrant_lock::is_held() const noexcept
{
    return state()->owner->holds(state()->lock.key);
}

}  // namespace holdfast
