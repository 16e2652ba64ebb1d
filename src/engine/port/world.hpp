//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_WORLD_HPP
#define HOLDFAST_ENGINE_WORLD_HPP

#include <array>
#include <cstdint>

#include "core/clock.hpp"

namespace holdfast::engine {

// The events of a world. It calls them on the strand, and never from inside a call of the engine. The engine may stop
// the world and the sessions inside them.
class world_events {
public:
    // The instant passed to wake_at() has come.
    virtual void on_alarm() = 0;

protected:
    ~world_events() = default;
};

// Time and random numbers for one client, whatever the number of its sessions. The engine reads no clock and no random
// generator itself, so the production code runs unchanged in a simulator with virtual time. All functions are called on
// the strand, except now(), which any thread may call. session::world implements it, for production and for the
// simulator.
class world {
public:
    virtual ~world() = default;

    // Called once, before the sessions of the client are started.
    virtual void start(world_events&) = 0;
    // From now on no event is called. Called after the sessions were stopped. Idempotent. The object may be destroyed
    // later, on any thread.
    virtual void stop() noexcept = 0;

    // CLOCK_BOOTTIME, or virtual time. Any thread.
    virtual core::instant now() const noexcept = 0;

    // Requests one on_alarm(), not before that instant. There is one alarm: an earlier request replaces a later one,
    // and a later one is ignored while an earlier one is pending. So the caller must request the next one in
    // on_alarm(). Precondition: the world was started; after stop() a request has no effect.
    virtual void wake_at(core::instant) = 0;

    // For jitter; not a secret.
    virtual std::uint64_t random() noexcept = 0;

    // 128 bits from the random generator of the operating system, new at each call. Tokens begin with them.
    virtual std::array<std::uint8_t, 16> identity() = 0;

    // Whether this process is a forked child of the one that made the client. Its copy of the client must send nothing:
    // connection, tokens and leases are its parent's. Any thread.
    virtual bool is_inherited() const noexcept = 0;
};

}  // namespace holdfast::engine

#endif
