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
class watchdog;

// Waits for the outcome of an extension. Its creator owns it until it is called, once, on the strand.
class extension_waiter {
public:
    // Success; lease_lost; unavailable; client_stopped; the error with which the server refused it; or, before anything
    // is sent, the reason why the lease cannot be extended.
    virtual void extended(detail::described_error) = 0;

protected:
    ~extension_waiter() = default;
};

// Sends renewals: those that are due together as batches, one script for up to a hundred grants whose lock protocols
// share it and, on a server with hash slots, whose keys are in one slot; and each extension alone. The watchdog decides
// when to renew, and what an outcome means. On the strand.
class renewal_sender {
public:
    renewal_sender(runtime&, watchdog&);
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
    watchdog& watchdog_;
    boost::intrusive::list<renewal, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> renewals_;
};

}  // namespace holdfast::engine

#endif
