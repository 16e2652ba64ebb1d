//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASER_HPP
#define HOLDFAST_ENGINE_RELEASER_HPP

#include <cstddef>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include "engine/hold/grant.hpp"
#include "engine/port/script_call.hpp"

namespace holdfast::engine {

class arbiter;
class end_listener;
class runtime;

// Somebody who waits for the outcome of a release. Owned by whoever made it until it is called, once. Must not stop the
// client within the call: others who are told of the same answer come after it.
class release_waiter {
public:
    // Success, lease_lost, unavailable (the release goes on), or what the server refused it with.
    virtual void released(boost::system::error_code) = 0;

protected:
    ~release_waiter() = default;
};

// Deletes tokens: those of leases that end, and, as compensation, those of acquisitions whose outcome is unknown or
// that nobody wants any more. What was queued goes on, over reconnections, until the server answered or the key must
// have expired (core::key_expiry()). Releases of one turn leave together: the server spends about half on each of what
// it does on a script of its own.
class releaser {
public:
    releaser(runtime&, end_listener&);
    releaser(releaser const&) = delete;
    releaser& operator=(releaser const&) = delete;
    ~releaser();

    // Retires the token and queues its release, which leaves with those of this turn. `waiter` and `seller` may be
    // null; the arbiter `seller` is told how many heard of the release, which then leaves at once.
    void release(boost::intrusive_ptr<grant>, release_waiter* waiter, arbiter* seller);

    // What was queued in this turn leaves now; `of`: if a release of that lock is among it. Called before something is
    // asked of the lock, and at the end of the turn. Precondition: the session is open.
    void flush();
    void flush(lock_spec const& of);

    std::size_t size() const noexcept;

    // The first of an epoch: compensations leave before anything that could depend on them.
    void on_open();
    void on_closed();
    // Tells every waiter `client_stopped` and forgets all.
    void stop();

private:
    class order;

    void gather(script const&, order&);

    runtime& runtime_;
    end_listener& listener_;
    script_batches batches_;
    boost::intrusive::list<order, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> orders_;
};

}  // namespace holdfast::engine

#endif
