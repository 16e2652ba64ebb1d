//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_MAILBOX_HPP
#define HOLDFAST_ENGINE_MAILBOX_HPP

#include <atomic>

#include "core/clock.hpp"
#include "engine/port/server_identity.hpp"

namespace holdfast::engine {

class client_engine;

// A task for the strand, sent from any thread. It is a base or a member of its sender, so that sending does not
// allocate. The sender must stay alive until one of the two functions is called, and is called exactly once.
class message {
public:
    // On the strand. The message may be destroyed during the call.
    virtual void deliver(client_engine&) = 0;
    // Any thread. The client has ended and will not do the task.
    virtual void discard() noexcept = 0;

protected:
    ~message() = default;

private:
    friend class mailbox;
    message* next_ = nullptr;  // the message that was sent before this one
};

// Messages from any thread, which the strand delivers in the order of their arrival: a release that a thread sends
// before an acquire must also come first. A lock-free stack of intrusive nodes: any thread pushes, and the strand takes
// all. A message needs no allocation and a sender never waits, because the destructor of a lease sends one (rule 19).
class mailbox {
public:
    mailbox() = default;
    mailbox(mailbox const&) = delete;
    mailbox& operator=(mailbox const&) = delete;
    ~mailbox() { discard_all(); }

    // Any thread. Returns whether the mailbox was empty: the caller must then schedule the delivery. Senders to a
    // mailbox that is not empty rely on it, so a burst of messages costs one delivery.
    bool push(message&) noexcept;
    // On the strand: delivers the messages that have arrived, turn_budget of them. Returns whether the caller must schedule
    // another delivery, for the rest. Messages that arrive meanwhile are not delivered: they find the mailbox empty, so
    // their sender schedules the next delivery.
    bool deliver(client_engine&);
    // On the strand: whether the last delivery has left messages.
    bool has_rest() const noexcept { return rest_ != nullptr; }
    // When the client has ended.
    void discard_all() noexcept;

private:
    message* take_all() noexcept;

    std::atomic<message*> last_ = nullptr;  // the top of the stack
    message* rest_ = nullptr;  // taken from the stack and not delivered yet, the oldest first; of the strand
};

// What other threads, and the parts of the engine, use of a client. client_state implements it. Leases, owners and
// operations may outlive the client, so they keep it as a weak pointer; a client that has ended discards messages.
class inbox {
public:
    // Any thread. Delivers the message on the strand, perhaps before it returns, but not inside the engine.
    virtual void send(message&) noexcept = 0;
    // The same, and delivers it later: so the engine allocates nothing in a destructor or a cancellation.
    virtual void post(message&) noexcept = 0;
    // On the strand: delivers the messages that have arrived. The engine calls it before the commands of a turn leave,
    // so that the commands of a burst of callers leave in one write.
    virtual void read_mail() = 0;
    // Any thread. `never` if the client has ended: no lease is valid then.
    virtual core::instant now() const noexcept = 0;
    // On the strand: an epoch has begun on that server. Called before the first command of the epoch: a
    // red_lock decides by the identity whether the replies of this epoch count.
    virtual void on_server(server_identity const&) = 0;

protected:
    ~inbox() = default;
};

}  // namespace holdfast::engine

#endif
