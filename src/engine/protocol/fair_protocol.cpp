//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <string>

#include <boost/container/small_vector.hpp>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

// As for a mutex: a fencing counter expires a day after its last use, in ms.
constexpr std::string_view counter_lifetime = "86400000";

// The lock and its companions, in the order of KEYS in the scripts: queue, timeouts, waiters, priorities.
using key_list = boost::container::small_vector<std::string_view, 6>;

key_list keys_of(lock_spec const& lock)
{
    key_list keys{lock.key};
    keys.insert(keys.end(), lock.companions.begin(), lock.companions.end());
    return keys;
}

// The hash and the queue of RedissonFairLock, so that both libraries wait in one queue. There is one protocol for
// fenced and other locks: the counter is passed as a further key.
class fair_lock_protocol final : public lock_protocol {
public:
    lock_kind kind() const noexcept override { return lock_kind::fair; }
    bool is_private() const noexcept override { return true; }
    script const* queue_refresh() const noexcept override { return &scripts::fair_refresh; }
    bool leaves_trace(lock_spec const&) const noexcept override { return true; }

    void acquire(session& to, command& c, attempt const& a, script_form form) const override
    {
        milliseconds_text const ttl(a.lease);
        milliseconds_text const waiter_timeout(a.lock.waiter_timeout);
        // For the script, priority 0 means a single attempt, which takes no place in the queue.
        auto const priority = std::to_string(a.will_wait ? a.priority : 0);
        auto keys = keys_of(a.lock);
        if (a.lock.is_fenced())
            keys.push_back(a.lock.counter);
        std::array<std::string_view, 6> const arguments{
            a.token, ttl, waiter_timeout, a.lock.channel, priority, counter_lifetime};
        submit_script(to, c, scripts::fair_acquire, form, {keys.data(), keys.size()}, arguments);
    }

    acquire_result classify(answer const& a) const override
    {
        // Granted without fencing.
        if (a.outcome == outcome::applied && a.value.is_nil())
            return {.what = acquire_result::kind::granted};
        return classify_fenced(a);
    }

    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        // One script for both, because after a lost reply the client does not know whether the token has a place or the
        // lock.
        milliseconds_text const waiter_timeout(lock.waiter_timeout);
        auto const keys = keys_of(lock);
        std::array<std::string_view, 3> const arguments{token, lock.channel, waiter_timeout};
        submit_script(to, c, scripts::fair_leave, form, {keys.data(), keys.size()}, arguments);
    }

    bool can_stay_taken() const noexcept override { return true; }

    // Only a grant stays taken, and it has no place in the queue.
    void release_later(
        session& to, command& c, lock_spec const& lock, std::string_view token, core::duration rest, script_form form)
        const override
    {
        milliseconds_text const ttl(rest);
        std::array<std::string_view, 2> const keys{lock.key, lock.companions.front()};
        std::array<std::string_view, 3> const arguments{token, lock.channel, ttl};
        submit_script(to, c, scripts::fair_release_later, form, keys, arguments);
    }

    // The lock is the same hash as that of a reentrant lock. Places in the queue are refreshed by another script.
    script const& renewal() const noexcept override { return scripts::reentrant_renew; }

    void force_release(session& to, command& c, lock_spec const& lock, script_form form) const override
    {
        milliseconds_text const waiter_timeout(lock.waiter_timeout);
        auto const keys = keys_of(lock);
        std::array<std::string_view, 2> const arguments{lock.channel, waiter_timeout};
        submit_script(to, c, scripts::fair_force_release, form, {keys.data(), keys.size()}, arguments);
    }
};

}  // namespace

lock_protocol const& fair_protocol() noexcept
{
    static constexpr fair_lock_protocol protocol;
    return protocol;
}

}  // namespace holdfast::engine
