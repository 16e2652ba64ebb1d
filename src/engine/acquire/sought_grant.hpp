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

// The grant that an acquisition seeks, from the choice of its token until it is granted or given up, and what the
// attempts with that token have left on the server: nothing, something to be released, or a place in the queue of a
// fair lock, which is kept from one attempt to the next.
class sought_grant {
public:
    // `place`: what stands in the queue of a fair lock, for as long as this object exists.
    sought_grant(engine_parts const& p, engine::place& place) noexcept : parts_(p), place_(place) {}
    sought_grant(sought_grant const&) = delete;
    sought_grant& operator=(sought_grant const&) = delete;
    ~sought_grant();

    explicit operator bool() const noexcept { return grant_ != nullptr; }
    grant& operator*() const noexcept { return *grant_; }
    grant* operator->() const noexcept { return grant_.get(); }

    // Chooses a new token for that contender. `under`: the write of its owner under which it reads; null: none. True if
    // the contender has to expect to wait.
    bool begin(contender const&, boost::intrusive_ptr<grant> under);
    // An attempt with its token is sent, and answered.
    void on_sent(attempt const&);
    void on_answered(answer const&, acquire_result const&);
    // It was granted.
    boost::intrusive_ptr<grant> take() noexcept;
    // It may have been granted, or yet be: its token is released. With a place in a queue it is kept, because another
    // attempt finds its place or its grant.
    void compensate();
    // Nobody wants it any more. What it left on the server is released.
    void give_up();

    // The channel on which the release of the lock, or its turn, is announced to it. Empty: that of the lock.
    std::string const& channel() const noexcept { return channel_; }
    void forget_channel() noexcept { channel_.clear(); }
    bool has_place() const noexcept { return has_place_; }
    // Precondition: it has a place. `remaining`: when the lock may become free without a message.
    void wait_for_turn(core::duration remaining);

private:
    void release();

    engine_parts const& parts_;
    engine::place& place_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<fair_queue> queue_;  // of a fair lock
    std::string channel_;
    bool leaves_trace_ = false;  // a refused attempt left something on the server, or may have
    bool has_place_ = false;     // the token has, or may have, a place in the queue
};

}  // namespace holdfast::engine

#endif
