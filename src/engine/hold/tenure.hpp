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

// Waits for the end of a tenure. Its creator owns it until one of the two functions is called, on the strand.
class loss_waiter
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    virtual void lost(loss) = 0;
    virtual void failed(boost::system::error_code) = 0;

protected:
    ~loss_waiter() = default;
};

using loss_waiters = boost::intrusive::list<loss_waiter, boost::intrusive::constant_time_size<false>>;

// Links a tenure with the others of its grant; after a loss, with the other lost tenures whose leases still exist.
using tenure_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<class held_by_grant>>;

// The time in which one contender holds a grant: one lease, one tenure, one release. A re-entry is a tenure of its own
// on the same grant. Leases read it from any thread, so what they read is atomic or constant, and it has no executor.
// It may outlive the client and then does nothing, because the client severs it from its grant when it stops (rule 19).
//
// The contender creates it, as the object that the lease stands for. It is also the message by which a lease that is
// destroyed queues its release, so that the destructor needs no memory for a message.
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
        unsigned number;                // of a numbered semaphore; else 0
        std::uint64_t acquire;          // the number of the acquire; 0: it was not counted
        std::shared_ptr<void> context;  // of the acquire: the observer's
        tenure* entered;  // another tenure of the same owner and lock, with which it is counted; null: none
    };

    explicit tenure(beginning);
    virtual ~tenure();

    // ---- thread-safe
    // The memory order is relaxed everywhere: each value is complete by itself. Data that the lock guards becomes
    // visible to the next holder through the mailbox (single_lease::drop()).
    lock_spec const& lock() const noexcept { return *lock_; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return lock_; }
    std::shared_ptr<owner_state> const& owner() const noexcept { return owner_; }
    std::weak_ptr<inbox> const& home() const noexcept { return home_; }
    std::uint64_t fence() const noexcept { return fence_; }
    unsigned number() const noexcept { return number_; }
    std::uint64_t acquire() const noexcept { return acquire_; }
    std::shared_ptr<void> const& context() const noexcept { return context_; }
    core::instant valid_until() const noexcept
    {
        return core::instant(core::duration(valid_until_.load(std::memory_order_relaxed)));
    }
    // The number of holds that its owner has of the lock.
    unsigned hold_count() const noexcept;

    // Compares with the clock, too: a process that was paused detects the loss before a timer runs (rule 18).
    lease_state state() const noexcept;
    bool is_valid() const noexcept;

    // The handler has received the lease. Until then the tenure requires no renewal, because the handler may never run.
    void take_up(bool taken_up) noexcept { taken_up_.store(taken_up, std::memory_order_relaxed); }
    bool is_taken_up() const noexcept { return taken_up_.load(std::memory_order_relaxed); }

    // ---- on the strand
    hold const& held() const noexcept { return hold_; }
    terms const& conditions() const noexcept { return hold_.conditions(); }
    core::instant started() const noexcept { return hold_.began(); }
    bool is_lost() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::lost; }
    bool is_detached() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::empty; }

    // Why operations of the lease fail; success while it is held and valid.
    error_code check_held() const noexcept;
    // Whether it is neither released nor lost. Its validity may have ended.
    bool is_holding() const noexcept { return held_grant && !is_lost(); }

    void set_valid_until(core::instant grant_end) noexcept;
    void set_state(lease_state s) noexcept { state_.store(s, std::memory_order_relaxed); }
    // Why it was lost. Precondition: it is lost.
    loss reason() const noexcept { return reason_; }
    void set_reason(loss why) noexcept { reason_ = why; }
    // Its own extension was confirmed: a command that was sent then set that lease time.
    void extend(core::instant sent, core::duration lease) noexcept { hold_.extend(sent, lease); }
    // The reason of its loss if its validity ends now.
    loss cause_of_end() const noexcept;
    // Its owner has one hold less.
    void end_hold() noexcept;

    boost::intrusive_ptr<grant> held_grant;  // also after a loss, until the lease is destroyed or the client stops
    loss_waiters waiters;

private:
    tenure& first() const noexcept { return first_ ? *first_ : const_cast<tenure&>(*this); }

    std::weak_ptr<inbox> const home_;
    std::shared_ptr<lock_spec const> const lock_;
    std::shared_ptr<owner_state> const owner_;
    std::uint64_t const fence_;
    unsigned const number_;
    std::uint64_t const acquire_;
    std::shared_ptr<void> const context_;
    boost::intrusive_ptr<tenure> const first_;  // of its owner and lock: has the count of all; null: this one
    hold hold_;

    // In an order without gaps between the members: many tenures may be held.
    std::atomic<core::duration::rep> valid_until_;
    std::atomic<unsigned> holds_ = 0;  // used in the first one only
    std::atomic<lease_state> state_ = lease_state::held;
    std::atomic<bool> taken_up_ = false;
    loss reason_ = loss::expired;
};

using tenures = boost::intrusive::
    list<tenure, boost::intrusive::base_hook<tenure_hook>, boost::intrusive::constant_time_size<false>>;

}  // namespace holdfast::engine

#endif
