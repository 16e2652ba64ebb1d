//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOCK_SPEC_HPP
#define HOLDFAST_ENGINE_LOCK_SPEC_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/options.hpp>

#include "core/clock.hpp"

namespace holdfast::engine {

class lock_protocol;

class lock_spec;
struct lock_meters;

// The options of a read_write_lock, the same in the specs of both sides.
struct rw_rules {
    preference prefer = preference::arrival;
    // Redisson's readers shorten the time to live of the lock to their own watchdog's. Zero: no such client uses it.
    core::duration peer_watchdog{};
    // Of the mark of a waiter, which each attempt refreshes: the mark of a waiter that crashed must expire.
    core::duration mark_lifetime{};
    std::shared_ptr<lock_spec const> reader = {};  // of a writer: the spec of the read that a downgrade acquires
};

// The options of a semaphore, the same in the specs of all weights of one handle.
struct permit_rules {
    unsigned permits = 0;        // with which it is created; 0: never
    bool with_redisson = false;  // its waiters receive all unlock messages, not only those for their client
    std::int64_t reported = -1;  // another number of permits, which the log has already; used on the strand only
};

// What a candidate of an election brings along.
struct candidacy {
    std::string value;  // what the leader wants to be known of it
    int priority = 5;
    std::string channel;                 // on which the observers receive messages
    std::string leader_channel;          // on which the leader learns of candidates that are preferred to it
    std::function<bool()> healthy = {};  // the user's; called on the strand; empty: it is always healthy
    core::duration settle{};  // how long a campaign lasts after the grant, if the former leader did not resign

    // What a renewal writes if the record was deleted; used on the strand only.
    std::string term = {};                       // of the grant that was renewed or proclaimed last
    std::string rank = {};                       // the priority as text
    std::optional<std::string> proclaimed = {};  // another value than the first one, in that term

    // Views of what belongs to the record in this term: term, value, priority, channel.
    std::array<std::string_view, 4> record_in(std::string_view term);

    // An exception of the user's function means that it is not.
    bool is_healthy() const noexcept;
};

// The description of a lock: its kind, and its keys on the server. A handle has it, and contenders, grants, tenures and
// releases share its ownership, because they may outlive the handle. Immutable once it is shared, so any thread may
// read it.
class lock_spec {
public:
    struct words {
        std::string_view prefix;       // of the client's keys
        std::string_view name;         // as the user gave it
        std::string_view channel;      // of unlock messages
        std::string_view counter;      // of fencing tokens; empty: not fenced
        std::string_view label;        // of the owner, appended to the token
        std::string_view weight = {};  // of a semaphore: how many permits a grant has, in decimal
    };

    lock_spec(lock_protocol const&, words const&, std::vector<std::string> companions);

    // The same semaphore, for grants of so many permits.
    lock_spec with_weight(std::string_view) const;
    // The same election, for a candidate with that value and priority.
    lock_spec with_candidate(std::string_view value, int priority) const;

    bool is_fenced() const noexcept { return !counter.empty(); }
    // How many permits a grant has; 0: the lock is no semaphore.
    unsigned permits() const noexcept;
    // Whether a grant of this lock can serve a contender for the other one. The label is part of the token, so a grant
    // with another label would show the wrong owner. A grant of a semaphore serves contenders for as many permits.
    bool shares_grants_with(lock_spec const& other) const noexcept
    {
        return this == &other
               || (protocol == other.protocol && label == other.label && weight == other.weight && key == other.key);
    }
    // The hashes first: most comparisons end there.
    bool has_key_of(lock_spec const& other) const noexcept { return key_hash == other.key_hash && key == other.key; }

private:
    lock_spec like(std::string_view weight) const;

    // All words in one allocation: many locks may be held. Not a std::string, whose short text would move with the
    // object and invalidate the views below.
    std::unique_ptr<char[]> text_;

public:
    lock_protocol const* protocol;
    std::string_view key;    // prefix and name: adjacent in text_
    std::uint32_t key_hash;  // computed once: an acquire searches for the key several times
    std::uint16_t slot;      // of all its keys in a Redis Cluster (core/lock_name.hpp)
    std::string_view name;
    std::string_view channel;
    std::string_view counter;
    std::string_view label;
    std::string_view weight;                  // empty: the lock is no semaphore
    std::vector<std::string> companions;      // further keys of the lock, in the order in which its scripts expect them
    core::duration waiter_timeout{};          // of a fair lock: how long a waiter may go without a refresh
    std::shared_ptr<rw_rules const> rules;    // of a read_write_lock
    std::shared_ptr<permit_rules> semaphore;  // of a semaphore
    std::shared_ptr<engine::candidacy> candidacy;  // of an election
    // Where its events are counted: found once, when the handle is made. The client has them; only its engine uses
    // them. Null: a query of the server, which belongs to no kind of lock.
    lock_meters* meters = nullptr;
};

}  // namespace holdfast::engine

#endif
