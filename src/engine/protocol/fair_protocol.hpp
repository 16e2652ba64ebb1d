//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_FAIR_PROTOCOL_HPP
#define HOLDFAST_ENGINE_FAIR_PROTOCOL_HPP

#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {

// The hash and the queue of RedissonFairLock, so that both libraries wait in one queue. There is one protocol for
// fenced and other locks: the counter is passed as a further key. The lock of an election derives from it.
class fair_lock_protocol : public lock_protocol {
public:
    lock_kind kind() const noexcept override { return lock_kind::fair; }
    bool is_private() const noexcept override { return true; }
    script const* queue_refresh() const noexcept override;
    bool leaves_trace(lock_spec const&) const noexcept override { return true; }

    void acquire(session&, command&, attempt const&, script_form) const override;
    acquire_result classify(answer const&) const override;
    void release(session&, command&, lock_spec const&, std::string_view token, script_form) const override;
    bool can_stay_taken() const noexcept override { return true; }
    void release_later(
        session&, command&, lock_spec const&, std::string_view token, core::duration rest, script_form) const override;
    script const& renewal() const noexcept override;
    void force_release(session&, command&, lock_spec const&, script_form) const override;

protected:
    // As for a mutex: a fencing counter expires a day after its last use, in ms.
    static constexpr std::string_view counter_lifetime = "86400000";

    // The lock and its companions, in the order of KEYS in the scripts: queue, timeouts, waiters, priorities.
    using key_list = boost::container::small_vector<std::string_view, 7>;
    static key_list keys_of(lock_spec const&);
    static std::string priority_of(attempt const&);
};

}  // namespace holdfast::engine

#endif
