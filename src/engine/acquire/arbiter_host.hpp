//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ARBITER_HOST_HPP
#define HOLDFAST_ENGINE_ARBITER_HOST_HPP

namespace holdfast::engine {

class contender;
class lock_spec;
class queued_arbiter;

// The interface through which an arbiter uses the registry that owns it, and through the registry the other arbiters of
// the client. An interface, because the registry includes the arbiters. All calls on the strand.
class arbiter_host {
public:
    // Chooses the arbiter for the contender, which then joins a queue, re-enters a tenure of its owner, or completes
    // with an error, perhaps within the call. Precondition: the contender is in no queue.
    virtual void contend(contender&) = 0;
    // Whether a contender of this client waits for the write side of this read_write_lock.
    virtual bool has_waiting_writer(lock_spec const&) const noexcept = 0;
    // Drops the registry's reference to the arbiter, which may destroy it: an arbiter that passes itself keeps a
    // reference or returns at once. Precondition: the arbiter has no contender and no grant.
    virtual void forget(queued_arbiter&) = 0;

protected:
    ~arbiter_host() = default;
};

}  // namespace holdfast::engine

#endif
