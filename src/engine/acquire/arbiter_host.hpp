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

// Keeps the arbiters of a client. What an arbiter needs to know of the others.
class arbiter_host {
public:
    // Decides where the contender contends, and has it begin.
    virtual void contend(contender&) = 0;
    // Whether a contender of this client waits to write; of a read_write_lock.
    virtual bool has_waiting_writer(lock_spec const&) const noexcept = 0;
    // The arbiter has nothing left to do.
    virtual void forget(queued_arbiter&) = 0;

protected:
    ~arbiter_host() = default;
};

}  // namespace holdfast::engine

#endif
