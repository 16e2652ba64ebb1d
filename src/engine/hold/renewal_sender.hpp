//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RENEWAL_SENDER_HPP
#define HOLDFAST_ENGINE_RENEWAL_SENDER_HPP

#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/clock.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script_call.hpp"
#include "engine/runtime/acknowledgement.hpp"

namespace holdfast::engine {

class runtime;

// Waits for the outcome of an extension. Its creator owns it until it is called, once, on the strand.
class extension_waiter {
public:
    // Success; lease_lost; unavailable; client_stopped; the error with which the server refused it; or, before anything
    // is sent, the reason why the lease cannot be extended.
    virtual void extended(detail::described_error) = 0;

protected:
    ~extension_waiter() = default;
};

// Receives the outcome of each renewal. The grant identifies it, not the name of the lock: another grant of the same
// lock may have begun meanwhile.
class renewal_events {
public:
    // The server keeps the key for at least `lease` from the send. False: the reply came too late for `extended`, or
    // for all holders.
    virtual bool on_kept(grant&, tenure* extended, answer const&, core::duration lease, bool is_closed) = 0;
    // The key is missing, or belongs to another token.
    virtual void on_key_missing(grant&) = 0;
    // The server replied with an error: nothing changed.
    virtual void on_refused(grant&, answer const&) = 0;
    // The outcome is unknown.
    virtual void on_unanswered(grant&) = 0;
    // The server keeps the key, but too few replicas know of it.
    virtual void on_unacknowledged(grant&) = 0;

protected:
    ~renewal_events() = default;
};

// Sends renewals: those that are due together as batches, one script for up to a hundred grants whose lock protocols
// share it and, on a server with hash slots, whose keys are in one slot; and each extension alone. The watchdog decides
// when to renew, and what an outcome means. On the strand.
class renewal_sender {
public:
    renewal_sender(runtime&, renewal_events&);
    renewal_sender(renewal_sender const&) = delete;
    renewal_sender& operator=(renewal_sender const&) = delete;
    ~renewal_sender();

    // Precondition: the sessions of their locks are open.
    void renew(std::vector<boost::intrusive_ptr<grant>> const&);
    // Renews one grant for `lease`. `tenure`: the hold that is extended, or null; `waiter`: receives the outcome, or
    // null. Precondition: the session is open.
    void extend(grant&, tenure*, core::duration lease, extension_waiter* waiter);

    // Completes the extensions with `client_stopped` and forgets all.
    void stop();

private:
    class renewal;

    void gather(renewal&);
    renewal& make(grant&, tenure*, core::duration lease, extension_waiter*);

    runtime& runtime_;
    renewal_events& events_;
    boost::intrusive::list<renewal, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> renewals_;
};

}  // namespace holdfast::engine

#endif
