//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SOUGHT_GRANT_HPP
#define HOLDFAST_ENGINE_SOUGHT_GRANT_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>
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
//
// An attempt of a semaphore may serve several contenders. Then there is a grant for each of them, in the order of the
// queue; the server grants the first of them, as many as it can. An operator below concerns the first one, all other
// functions concern all of them.
class sought_grant {
public:
    using grant_ptr = boost::intrusive_ptr<grant>;
    using contenders = boost::intrusive::list<contender>;
    // Most attempts seek one, which needs no allocation.
    using grant_list = boost::container::small_vector<grant_ptr, 1>;

    // `place`: the listener that the queue of a fair lock calls. It must outlive this object.
    sought_grant(engine_parts const& p, engine::place& place) noexcept : parts_(p), place_(place) {}
    sought_grant(sought_grant const&) = delete;
    sought_grant& operator=(sought_grant const&) = delete;
    // Sends nothing: an acquisition that ends in order has given up its grant before; a client that stops leaves its
    // keys.
    ~sought_grant();

    explicit operator bool() const noexcept { return !grants_.empty(); }
    grant& operator*() const noexcept { return *grants_.front(); }
    grant* operator->() const noexcept { return grants_.front().get(); }
    std::size_t size() const noexcept { return grants_.size(); }

    // Whether an attempt with its token is an attempt for this contender.
    bool is_for(contender const&) const noexcept;
    // Gives up the present grant, and chooses a new token for that contender. `under`: the write of its owner under
    // which it reads; null: none. True if the contender probably has to wait: the first attempt then goes with a
    // subscription.
    bool begin(contender const&, boost::intrusive_ptr<grant> under);
    // Seeks grants also for the contenders that follow the head, `most` of all, as far as one attempt can serve them.
    // Precondition: it seeks one for the head. What was sought for followers before was not granted.
    void follow(contenders const& queue, std::size_t most);
    // All but the head were refused for certain: nothing of theirs is on the server.
    void forget_followers() noexcept { grants_.resize(std::min<std::size_t>(grants_.size(), 1)); }
    // All but the first. The views are valid until the next change.
    std::vector<follower> followers() const;
    // Called just before an attempt with its token is submitted, and when its reply has come.
    void on_sent(attempt const&);
    void on_answered(answer const&, acquire_result const&);
    // The server granted the first `n`: the caller has them from here on.
    grant_list take(std::size_t n);
    // The server may have granted it, or may yet do so: the token is released. A token with a place in a queue is kept,
    // because another attempt finds that place, or the grant.
    void compensate();
    // No contender wants it any more: what it left on the server is released.
    void give_up();

    // The channel on which the turn of this grant, or of this client, is announced; empty: the lock's channel.
    std::string const& channel() const noexcept { return channel_; }
    void use_channel_of_client(lock_spec const&);
    void forget_channel() noexcept { channel_.clear(); }
    bool has_place() const noexcept { return has_place_; }
    // Whether it may be the first waiter of all, as far as this client knows.
    bool may_be_first() const noexcept { return queue_ && queue_->is_first(place_); }
    // Waits in the queue of the fair lock. `remaining`: after what time the lock may become free without a message.
    // Precondition: it has a place.
    void wait_for_turn(core::duration remaining);

private:
    grant_ptr make(contender const&, grant_ptr under) const;
    void release();

    engine_parts const& parts_;
    engine::place& place_;
    grant_list grants_;
    boost::intrusive_ptr<fair_queue> queue_;  // of a fair lock
    std::string channel_;
    bool leaves_trace_ = false;  // a refused attempt has, or may have, left something on the server
    bool has_place_ = false;     // the token has, or may have, a place in the queue
};

}  // namespace holdfast::engine

#endif
