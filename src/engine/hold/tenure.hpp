//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TENURE_HPP
#define HOLDFAST_ENGINE_TENURE_HPP

#include <atomic>
#include <cstdint>
#include <memory>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "engine/hold/terms.hpp"
#include "engine/port/mailbox.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class grant;
class owner_state;

// Somebody who waits for the end of a tenure. Owned by whoever made it until one of the two is called.
class loss_waiter
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    virtual void lost(loss) = 0;
    virtual void failed(boost::system::error_code) = 0;

protected:
    ~loss_waiter() = default;
};

using loss_waiters = boost::intrusive::list<loss_waiter, boost::intrusive::constant_time_size<false>>;

// Among the tenures of one grant; after a loss, among those whose leases still exist.
using tenure_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<class held_by_grant>>;

// The stretch in which one contender holds a grant: one lease, one tenure, one release. A re-entry is a tenure of its
// own of the same grant. What leases read from any thread are atomics, without an executor: it may outlive the client,
// and is inert then, because the client severs it from its grant when it stops.
//
// Whoever asked for it makes it, as the object that its lease stands for, which is also the message that its lease was
// destroyed.
class tenure : public boost::intrusive_ref_counter<tenure, boost::thread_safe_counter>,
               public tenure_hook,
               protected message {
public:
    struct beginning {
        std::weak_ptr<inbox> home;
        std::shared_ptr<lock_spec const> lock;
        std::shared_ptr<owner_state> owner;
        engine::hold hold;
        std::uint64_t fence;
        tenure* entered;  // of the same owner and lock, which counts for this one, too; null: there is none
    };

    explicit tenure(beginning);
    virtual ~tenure();

    // ---- any thread
    lock_spec const& lock() const noexcept { return *lock_; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return lock_; }
    std::shared_ptr<owner_state> const& owner() const noexcept { return owner_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }
    std::uint64_t fence() const noexcept { return fence_; }
    core::instant valid_until() const noexcept
    {
        return core::instant(core::duration(valid_until_.load(std::memory_order_relaxed)));
    }
    // The holds that its owner has of the lock.
    unsigned hold_count() const noexcept;

    // Judged by the clock too: a paused process learns of its loss before any timer told it.
    lease_state state() const noexcept;
    bool is_valid() const noexcept;

    // The handler got its lease. A tenure that was not taken up is not renewed.
    void take_up(bool taken_up) noexcept { taken_up_.store(taken_up, std::memory_order_relaxed); }
    bool is_taken_up() const noexcept { return taken_up_.load(std::memory_order_relaxed); }

    // ---- on the strand
    hold const& held() const noexcept { return hold_; }
    terms const& conditions() const noexcept { return hold_.conditions(); }
    core::instant started() const noexcept { return hold_.began(); }
    bool is_lost() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::lost; }
    bool is_detached() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::empty; }

    // Why nothing more can be done with it; success when it is held.
    error_code check_held() const noexcept;
    // Neither released nor lost.
    bool is_holding() const noexcept { return held_grant && !is_lost(); }

    void set_valid_until(core::instant grant_end) noexcept;
    void set_state(lease_state s) noexcept { state_.store(s, std::memory_order_relaxed); }
    // Why it was lost, once it is.
    loss reason() const noexcept { return reason_; }
    void set_reason(loss why) noexcept { reason_ = why; }
    // Its own extension was confirmed: a command sent then set that lease time.
    void extend(core::instant sent, core::duration lease) noexcept { hold_.extend(sent, lease); }
    // What its loss is due to when its validity runs out.
    loss cause_of_end() const noexcept;
    // It holds its grant no more.
    void end_hold() noexcept;

    boost::intrusive_ptr<grant> held_grant;  // also after a loss, until its lease is gone or the client stops
    loss_waiters waiters;

private:
    tenure& first() const noexcept { return first_ ? *first_ : const_cast<tenure&>(*this); }

    std::weak_ptr<inbox> const home_;
    std::shared_ptr<lock_spec const> const lock_;
    std::shared_ptr<owner_state> const owner_;
    std::uint64_t const fence_;
    boost::intrusive_ptr<tenure> const first_;  // of its owner and lock, which counts for all of them; null: this one
    hold hold_;

    // In this order they leave no gaps: many tenures may be kept.
    std::atomic<core::duration::rep> valid_until_;
    std::atomic<unsigned> holds_ = 0;  // of the first one
    std::atomic<lease_state> state_ = lease_state::held;
    std::atomic<bool> taken_up_ = false;
    loss reason_ = loss::expired;
};

using tenures = boost::intrusive::
    list<tenure, boost::intrusive::base_hook<tenure_hook>, boost::intrusive::constant_time_size<false>>;

}  // namespace holdfast::engine

#endif
