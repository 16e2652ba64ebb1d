//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/fair_protocol.hpp"

#include <array>
#include <string>

#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {

fair_lock_protocol::key_list fair_lock_protocol::keys_of(lock_spec const& lock)
{
    key_list keys{lock.key};
    keys.insert(keys.end(), lock.companions.begin(), lock.companions.end());
    return keys;
}

void fair_lock_protocol::acquire(session& to, command& c, attempt const& a, script_form form) const
{
    milliseconds_text const ttl(a.lease);
    milliseconds_text const waiter_timeout(a.lock.waiter_timeout);
    auto const priority = priority_of(a);
    auto keys = keys_of(a.lock);
    if (a.lock.is_fenced())
        keys.push_back(a.lock.counter);
    std::array<std::string_view, 6> const arguments{
        a.token, ttl, waiter_timeout, a.lock.channel, priority, counter_lifetime};
    submit_script(to, c, scripts::fair_acquire, form, {keys.data(), keys.size()}, arguments);
}

// For the scripts, priority 0 means a single attempt, which takes no place in the queue.
std::string fair_lock_protocol::priority_of(attempt const& a)
{
    return std::to_string(a.will_wait ? a.priority : 0);
}

acquire_result fair_lock_protocol::classify(answer const& a) const
{
    // Granted without fencing.
    if (a.outcome == outcome::applied && a.value.is_nil())
        return {.what = acquire_result::kind::granted};
    return classify_fenced(a);
}

// One script for both, because after a lost reply the client does not know whether the token has a place or the lock.
void fair_lock_protocol::release(
    session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const
{
    milliseconds_text const waiter_timeout(lock.waiter_timeout);
    auto const keys = keys_of(lock);
    std::array<std::string_view, 3> const arguments{token, lock.channel, waiter_timeout};
    submit_script(to, c, scripts::fair_leave, form, {keys.data(), keys.size()}, arguments);
}

// Only a grant stays taken, and it has no place in the queue.
void fair_lock_protocol::release_later(
    session& to, command& c, lock_spec const& lock, std::string_view token, core::duration rest, script_form form) const
{
    milliseconds_text const ttl(rest);
    std::array<std::string_view, 2> const keys{lock.key, lock.companions.front()};
    std::array<std::string_view, 3> const arguments{token, lock.channel, ttl};
    submit_script(to, c, scripts::fair_release_later, form, keys, arguments);
}

void fair_lock_protocol::force_release(session& to, command& c, lock_spec const& lock, script_form form) const
{
    milliseconds_text const waiter_timeout(lock.waiter_timeout);
    auto const keys = keys_of(lock);
    std::array<std::string_view, 2> const arguments{lock.channel, waiter_timeout};
    submit_script(to, c, scripts::fair_force_release, form, {keys.data(), keys.size()}, arguments);
}

script const* fair_lock_protocol::queue_refresh() const noexcept
{
    return &scripts::fair_refresh;
}

// The lock is the same hash as that of a reentrant lock. Places in the queue are refreshed by another script.
script const& fair_lock_protocol::renewal() const noexcept
{
    return scripts::reentrant_renew;
}

lock_protocol const& fair_protocol() noexcept
{
    static constexpr fair_lock_protocol protocol;
    return protocol;
}

}  // namespace holdfast::engine
