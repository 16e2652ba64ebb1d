//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RENEWAL_SENDER_HPP
#define HOLDFAST_ENGINE_RENEWAL_SENDER_HPP

#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script_call.hpp"

namespace holdfast::engine {

class runtime;

// Waits for the outcome of an extension. Owned by its creator until it is called, once.
class extension_waiter {
public:
    // Success, lease_lost, unavailable, or the error with which the server refused it.
    virtual void extended(boost::system::error_code) = 0;

protected:
    ~extension_waiter() = default;
};

// Receives the outcome of each renewal, matched by token: the grant, not the name, identifies it.
class renewal_events {
public:
    // The server keeps the key for at least `lease`. False: the answer came too late for `extended`, or for all
    // holders.
    virtual bool on_kept(grant&, tenure* extended, answer const&, core::duration lease, bool is_closed) = 0;
    // The key is missing, or belongs to another token.
    virtual void on_key_missing(grant&) = 0;
    // The server answered with an error: nothing changed.
    virtual void on_refused(grant&, answer const&) = 0;
    // The outcome is unknown.
    virtual void on_unanswered(grant&) = 0;

protected:
    ~renewal_events() = default;
};

// Sends renewals: those that are due together in batches, one script for up to a hundred grants of one lock protocol,
// and each extension alone. When to renew, and what an outcome means, is up to the watchdog.
class renewal_sender {
public:
    renewal_sender(runtime&, renewal_events&);
    renewal_sender(renewal_sender const&) = delete;
    renewal_sender& operator=(renewal_sender const&) = delete;
    ~renewal_sender();

    // Precondition: the session is open.
    void renew(std::vector<boost::intrusive_ptr<grant>> const&);
    // Precondition: the session is open. `tenure` and `waiter` may be null.
    void extend(grant&, tenure*, core::duration lease, extension_waiter* waiter);

    void on_open() noexcept { batches_.on_open(); }
    // Completes the extensions with `client_stopped` and forgets all.
    void stop();

private:
    class renewal;

    renewal& make(grant&, tenure*, core::duration lease, extension_waiter*);

    runtime& runtime_;
    renewal_events& events_;
    script_batches batches_;
    boost::intrusive::list<renewal, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> renewals_;
};

}  // namespace holdfast::engine

#endif
