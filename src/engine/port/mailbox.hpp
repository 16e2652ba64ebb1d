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

// Something to be done on the strand. A part of its sender, which must stay alive until one of the two was called.
class message {
public:
    virtual void deliver(client_engine&) = 0;
    // The client is gone: nothing will be done.
    virtual void discard() noexcept = 0;

protected:
    ~message() = default;

private:
    friend class mailbox;
    message* next_ = nullptr;
};

// Messages of any thread, delivered on the strand in the order in which they were sent. Lock-free, without allocation.
class mailbox {
public:
    mailbox() = default;
    mailbox(mailbox const&) = delete;
    mailbox& operator=(mailbox const&) = delete;
    ~mailbox() { discard_all(); }

    // True when it was empty: the sender has to see to it that it is read.
    bool push(message&) noexcept;
    void deliver_all(client_engine&);
    void discard_all() noexcept;

private:
    message* take_all() noexcept;

    std::atomic<message*> last_ = nullptr;
};

// The way into a client from any thread. Kept weakly by whatever may outlive the client.
class inbox {
public:
    virtual void send(message&) noexcept = 0;
    // On the strand: delivers what has come meanwhile.
    virtual void read_mail() = 0;
    virtual core::instant now() const noexcept = 0;
    // On the strand: an epoch is open on that server. Called before anything of that epoch.
    virtual void on_server(server_identity const&) = 0;

protected:
    ~inbox() = default;
};

}  // namespace holdfast::engine

#endif
