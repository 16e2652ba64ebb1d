//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ARBITER_HPP
#define HOLDFAST_ENGINE_ARBITER_HPP

#include <memory>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class contender;
class grant;
class owner_state;
class release_waiter;
class tenure;

// Decides who of this client has a lock, or one side of it. This is what its contenders, grants, tenures, owners and
// releases know of it.
class arbiter : public boost::intrusive_ref_counter<arbiter, boost::thread_unsafe_counter> {
public:
    explicit arbiter(std::shared_ptr<lock_spec const> lock) noexcept : lock_(std::move(lock)) {}
    virtual ~arbiter() = default;

    lock_spec const& lock() const noexcept { return *lock_; }

    // ---- contenders
    // The contender is cancelled.
    virtual void leave(contender&, boost::system::error_code why) = 0;
    // The contender's own deadline has come.
    virtual void expire(contender&, core::instant now) = 0;
    // The contender takes a hold of a tenure that its owner has already.
    virtual void re_enter(contender&, tenure&) = 0;
    // One task of a process owner was granted the lock: the others that wait here take holds of that tenure.
    virtual void re_enter_all(owner_state const&, tenure&) = 0;
    // An extension for a contender that re-enters has ended.
    virtual void on_extended(contender&, grant&, boost::system::error_code) = 0;
    // The contender, which is in no queue, begins a tenure. A fixed lease counts from that instant. `entered`: a tenure
    // of its owner and that lock, which the new one is counted with; null: there is none.
    virtual void enter(contender&, grant&, core::instant counted_from, tenure* entered) = 0;

    // ---- tenures
    // The tenure ends by its release. `waiter` may be null.
    virtual void end_tenure(tenure&, release_waiter* waiter) = 0;
    virtual void lose(tenure&, loss) = 0;

    // ---- grants
    // The grant is to be renewed, or one of its tenures ends.
    virtual void on_grant_due(grant&, core::instant now) = 0;
    // The server has released a grant; so many subscribers received the message.
    virtual void on_released(unsigned heard) = 0;

private:
    std::shared_ptr<lock_spec const> const lock_;
};

}  // namespace holdfast::engine

#endif
