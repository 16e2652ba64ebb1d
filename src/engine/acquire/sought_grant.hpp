//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SOUGHT_GRANT_HPP
#define HOLDFAST_ENGINE_SOUGHT_GRANT_HPP

#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/clock.hpp"
#include "engine/acquire/fair_queue.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/command.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {

class contender;
struct engine_parts;

// The grant that an acquisition seeks, from the choice of its token until the lock is granted or the grant is given up.
// It records what the attempts with that token have left on the server: nothing, something that a release of the token
// removes, or a place in the queue of a fair lock, which lasts from one attempt to the next.
class sought_grant {
public:
    // `place`: the listener that the queue of a fair lock calls. It must outlive this object.
    sought_grant(engine_parts const& p, engine::place& place) noexcept : parts_(p), place_(place) {}
    sought_grant(sought_grant const&) = delete;
    sought_grant& operator=(sought_grant const&) = delete;
    // Sends nothing: an acquisition that ends in order has given up its grant before; a client that stops leaves its
    // keys.
    ~sought_grant();

    explicit operator bool() const noexcept { return grant_ != nullptr; }
    grant& operator*() const noexcept { return *grant_; }
    grant* operator->() const noexcept { return grant_.get(); }

    // Gives up the present grant, and chooses a new token for that contender. `under`: the write of its owner under
    // which it reads; null: none. True if the contender probably has to wait: the first attempt then goes with a
    // subscription.
    bool begin(contender const&, boost::intrusive_ptr<grant> under);
    // Called just before an attempt with its token is submitted, and when its reply has come.
    void on_sent(attempt const&);
    void on_answered(answer const&, acquire_result const&);
    // The server granted it: the caller has the grant from here on.
    boost::intrusive_ptr<grant> take() noexcept;
    // The server may have granted it, or may yet do so: the token is released. A token with a place in a queue is kept,
    // because another attempt finds that place, or the grant.
    void compensate();
    // No contender wants it any more: what it left on the server is released.
    void give_up();

    // The channel of its own on which a fair lock's turn is announced; empty: the lock's channel.
    std::string const& channel() const noexcept { return channel_; }
    void forget_channel() noexcept { channel_.clear(); }
    bool has_place() const noexcept { return has_place_; }
    // Waits in the queue of the fair lock. `remaining`: after what time the lock may become free without a message.
    // Precondition: it has a place.
    void wait_for_turn(core::duration remaining);

private:
    void release();

    engine_parts const& parts_;
    engine::place& place_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<fair_queue> queue_;  // of a fair lock
    std::string channel_;
    bool leaves_trace_ = false;  // a refused attempt has, or may have, left something on the server
    bool has_place_ = false;     // the token has, or may have, a place in the queue
};

}  // namespace holdfast::engine

#endif
