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

#include <holdfast/detail/described_error.hpp>
#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class contender;
class grant;
class owner_state;
class release_waiter;
class tenure;

// Arbitrates between the contenders of this client for one lock, or for one side of it. This interface has what
// contenders, grants, tenures, owners and releases call; it lies here, below `engine/acquire`, so that they do not
// include the implementations. Everything on the strand. The registry owns the arbiter; releases and extensions that
// call it later keep a reference.
class arbiter : public boost::intrusive_ref_counter<arbiter, boost::thread_unsafe_counter> {
public:
    explicit arbiter(std::shared_ptr<lock_spec const> lock) noexcept : lock_(std::move(lock)) {}
    virtual ~arbiter() = default;

    lock_spec const& lock() const noexcept { return *lock_; }

    // ---- contenders
    // The contender is cancelled: it leaves its queue and completes with that error.
    virtual void leave(contender&, boost::system::error_code why) = 0;
    // The contender's deadline has come: it completes as busy or unavailable, or sends its extension again.
    virtual void expire(contender&, core::instant now) = 0;
    // The contender enters the lock again that its owner holds by that tenure, at once or after an extension.
    // Precondition: the contender is in no queue.
    virtual void re_enter(contender&, tenure&) = 0;
    // A task of a process owner was granted the lock: the contenders of that owner that wait at this arbiter enter that
    // tenure.
    virtual void re_enter_all(owner_state const&, tenure&) = 0;
    // The extension for a contender that re-enters has completed.
    virtual void on_extended(contender&, grant&, detail::described_error const&) = 0;
    // Begins a tenure for the contender, which is in no queue. A fixed lease time counts from `counted_from`.
    // `entered`: another tenure of the same owner and lock, with which the new one is counted; null: there is none.
    virtual void enter(contender&, grant&, core::instant counted_from, tenure* entered) = 0;

    // ---- tenures
    // The tenure ends by its release. `waiter` receives the outcome; it may be null.
    virtual void end_tenure(tenure&, release_waiter* waiter) = 0;
    // The tenure is lost. The grant's token stays until the body that it guards has ended (rule 9).
    virtual void lose(tenure&, loss) = 0;

    // ---- grants
    // The server has executed a release that was queued with this arbiter; so many subscribers received the message.
    virtual void on_released(unsigned receivers) = 0;

private:
    std::shared_ptr<lock_spec const> const lock_;
};

}  // namespace holdfast::engine

#endif
