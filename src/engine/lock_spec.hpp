//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOCK_SPEC_HPP
#define HOLDFAST_ENGINE_LOCK_SPEC_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace holdfast::engine {

class wire_form;

// What a handle knows of its lock. Immutable, shared by everything that speaks of the lock.
struct lock_spec {
    wire_form const* form;                     // how it stands on the server
    std::string name;                          // the user's
    std::string key;                           // with the prefix
    std::string channel;                       // of unlock messages
    std::string counter;                       // of fencing tokens; empty: not fenced
    std::string label;                         // of the owner, appended to the token
    std::vector<std::string> companions = {};  // further keys of the kind, in the order of its scripts
    core::duration patience = {};              // of a fair lock: how long a waiter may be silent

    bool is_fenced() const noexcept { return !counter.empty(); }
    bool shares_grants_with(lock_spec const& other) const noexcept
    {
        return this == &other || (form == other.form && label == other.label && key == other.key);
    }
};

// What one acquire asks for.
struct terms {
    core::duration lease{};
    bool renewed = true;
    core::duration max_hold{};  // zero: no limit
    std::uint8_t priority = 5;  // 1 to 10; of a fair lock
};

}  // namespace holdfast::engine

#endif
