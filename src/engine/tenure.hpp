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

#include <holdfast/loss.hpp>

#include "core/clock.hpp"
#include "core/recycled.hpp"
#include "engine/gate.hpp"
#include "engine/lock_spec.hpp"

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

// Among those who hold one grant.
using tenure_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<class held_by_grant>>;

// The stretch in which one contender holds a grant. What leases read from any thread are atomics, without an executor:
// it may outlive the client, and is inert then.
class tenure final : public core::recycled<tenure>,
                     public boost::intrusive_ref_counter<tenure, boost::thread_safe_counter>,
                     public tenure_hook,
                     private letter {
public:
    tenure(
        std::weak_ptr<gate> home,
        std::shared_ptr<lock_spec const>,
        std::shared_ptr<owner_state>,
        terms const&,
        std::uint64_t fence,
        core::instant started);
    ~tenure();

    // ---- any thread
    lock_spec const& lock() const noexcept { return *lock_; }
    std::shared_ptr<owner_state> const& owner() const noexcept { return owner_; }
    std::weak_ptr<gate> const& home() const noexcept { return home_; }
    std::uint64_t fence() const noexcept { return fence_; }
    core::instant valid_until() const noexcept
    {
        return core::instant(core::duration(valid_until_.load(std::memory_order_relaxed)));
    }
    unsigned hold_count() const noexcept { return holds_.load(std::memory_order_relaxed); }

    // Judged by the clock too: a paused process learns of its loss before any timer told it.
    lease_state state() const noexcept;
    bool is_valid() const noexcept;

    // The handler got its lease. A tenure that was not taken up is not renewed.
    void take_up(bool taken_up) noexcept { taken_up_.store(taken_up, std::memory_order_relaxed); }
    bool is_taken_up() const noexcept { return taken_up_.load(std::memory_order_relaxed); }

    // A lease was destroyed: queues the release of one hold. Takes over the caller's reference.
    static void drop(boost::intrusive_ptr<tenure>) noexcept;

    // ---- on the strand
    terms const& conditions() const noexcept { return terms_; }
    terms& conditions() noexcept { return terms_; }
    core::instant started() const noexcept { return started_; }
    bool is_lost() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::lost; }
    bool is_passed_on() const noexcept { return state_.load(std::memory_order_relaxed) == lease_state::empty; }

    // The end of its validity: that of its grant, or its own fixed lease if that is earlier, or max_hold.
    core::instant own_end() const noexcept { return own_end_; }
    void set_own_end(core::instant t) noexcept { own_end_ = t; }
    void set_valid_until(core::instant grant_end) noexcept;
    void set_state(lease_state s) noexcept { state_.store(s, std::memory_order_relaxed); }

    void enter() noexcept { holds_.fetch_add(1, std::memory_order_relaxed); }
    // Holds that are left.
    unsigned leave() noexcept { return holds_.fetch_sub(1, std::memory_order_relaxed) - 1; }

    boost::intrusive_ptr<grant> held_grant;  // also after a loss, until the last hold ends
    loss_waiters waiters;
    loss reason = loss::expired;  // once it is lost

private:
    void deliver(context&) override;
    void discard() noexcept override;

    std::atomic<unsigned> holds_ = 1;
    std::weak_ptr<gate> const home_;
    std::shared_ptr<lock_spec const> const lock_;
    std::shared_ptr<owner_state> const owner_;
    std::uint64_t const fence_;
    core::instant const started_;
    terms terms_;
    core::instant own_end_;

    std::atomic<core::duration::rep> valid_until_;
    std::atomic<unsigned> dropped_ = 0;
    std::atomic<lease_state> state_ = lease_state::held;
    std::atomic<bool> taken_up_ = false;
};

}  // namespace holdfast::engine

#endif
