//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOCK_SPEC_HPP
#define HOLDFAST_ENGINE_LOCK_SPEC_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/options.hpp>

#include "core/clock.hpp"

namespace holdfast::engine {

class lock_protocol;

class lock_spec;

// What readers and writers of one lock have agreed on.
struct rw_rules {
    preference prefer = preference::arrival;
    core::duration peer_watchdog{};  // other libraries may cut the lock's time to live to that; zero: none does
    core::duration mark_lifetime{};  // of the mark of one who waits, unless it is refreshed
    std::shared_ptr<lock_spec const> reader = {};  // a writer's: what it becomes by a downgrade
};

// What a handle knows of its lock. Immutable, shared by everything that speaks of the lock.
class lock_spec {
public:
    struct words {
        std::string_view prefix;   // of the client's keys
        std::string_view name;     // the user's
        std::string_view channel;  // of unlock messages
        std::string_view counter;  // of fencing tokens; empty: not fenced
        std::string_view label;    // of the owner, appended to the token
    };

    lock_spec(lock_protocol const&, words const&, std::vector<std::string> companions);

    bool is_fenced() const noexcept { return !counter.empty(); }
    bool shares_grants_with(lock_spec const& other) const noexcept
    {
        return this == &other || (protocol == other.protocol && label == other.label && key == other.key);
    }
    bool has_key_of(lock_spec const& other) const noexcept { return key_hash == other.key_hash && key == other.key; }

private:
    std::unique_ptr<char[]> text_;  // all words, one after the other: many locks may be held

public:
    lock_protocol const* protocol;  // how it stands on the server
    std::string_view key;           // with the prefix
    std::size_t key_hash;           // of the key: an acquire looks for it several times
    std::string_view name;
    std::string_view channel;
    std::string_view counter;
    std::string_view label;
    std::vector<std::string> companions;    // further keys of the kind, in the order of its scripts
    core::duration waiter_timeout{};        // of a fair lock: how long a waiter may be silent
    std::shared_ptr<rw_rules const> rules;  // of a read_write_lock
};

}  // namespace holdfast::engine

#endif
