//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/renewal_by_key.hpp"

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "scripts_generated.hpp"

namespace holdfast::engine {
namespace {

constexpr std::string_view slot_value = "1";  // as read_acquire writes it

}  // namespace

one_key_renewals renewals_by_key(lock_spec const& lock, std::string_view own_key, std::string_view token)
{
    switch (lock.protocol->kind()) {
        // A write has no slot, and is renewed by its lock.
        case lock_kind::read:
            return {{&scripts::mutex_renew, own_key, 1, slot_value}, {&scripts::reentrant_renew, lock.key, 1, token}};
        // The script takes the timeouts for the counter, too, whose time to live it would prolong.
        case lock_kind::semaphore: return {{&scripts::permits_renew, lock.companions[0], 2, token}};
        case lock_kind::election: return {{&scripts::reentrant_renew, lock.key, 1, token}};
        default: return {};
    }
}

}  // namespace holdfast::engine
