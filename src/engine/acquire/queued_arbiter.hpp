//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_QUEUED_ARBITER_HPP
#define HOLDFAST_ENGINE_QUEUED_ARBITER_HPP

#include <cstdint>
#include <memory>
#include <span>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>

#include "core/wait_outcome.hpp"
#include "engine/acquire/acquisition.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/acquire/reentries.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/hold/grant.hpp"
#include "engine/hold/tenure.hpp"

namespace holdfast::engine {

struct engine_parts;

// An arbiter with a queue of contenders. Redis arbitrates between processes, an arbiter between the coroutines of one
// process. The arbiter, not a contender, acquires the grant, for the head of its queue: a contender that is cancelled
// only leaves the queue, and its attempt serves the next contender. The derived classes decide what becomes of a
// grant.
//
// All functions are called on the strand. The registry has a reference to each arbiter until the arbiter calls
// arbiter_host::forget(); functions that may lead to that keep another one while they run.
class queued_arbiter : public arbiter, public boost::intrusive::list_base_hook<> {
public:
    // A private arbiter has one contender and is not shared: each contender of a fair lock has a place of its own on
    // the server, and a read under an own write a grant of its own. `cover`: that write; null: none.
    queued_arbiter(
        engine_parts const&, std::shared_ptr<lock_spec const>, bool is_private, boost::intrusive_ptr<grant> cover = {});
    ~queued_arbiter() override;

    bool is_private() const noexcept { return is_private_; }

    // ---- contenders
    // The contender joins the queue, or completes at once. Precondition: it is in no queue.
    void join(contender&);
    void leave(contender&, error_code why) override;
    void expire(contender&, core::instant now) override;
    void re_enter(contender&, tenure&) override;
    void re_enter_all(owner_state const&, tenure&) override;
    void on_extended(contender&, grant&, detail::described_error const&) override;
    void enter(contender&, grant&, core::instant counted_from, tenure* entered) override;

    // ---- grants
    void on_released(unsigned receivers) override;

    // ---- the connection; `before`: how many other arbiters of the client learned of it before this one
    void on_open(std::size_t before);
    void on_closed();
    // The lock is at another server of the cluster now, whose session may be open or not.
    void on_moved(std::size_t before);
    // Completes each contender with that error, because waiting does not help.
    void fail_all(detail::described_error const&);
    // The client stops: contenders complete with client_stopped, tenures are lost, nothing is sent.
    void stop();

    // ---- the acquisition
    contender* head() noexcept { return queue_.empty() ? nullptr : &queue_.front(); }
    boost::intrusive::list<contender> const& contenders() const noexcept { return queue_; }
    bool has_waiting_contender() const noexcept { return one_shots_ < queue_.size(); }
    // The attempt for the head with the token of that grant, and for those followers. Precondition: there is a head.
    attempt attempt_with(grant const&, std::span<follower const>, bool is_listening) const noexcept;
    // The own write under which the contender of a private arbiter reads; null: none.
    boost::intrusive_ptr<grant> const& covering_write() const noexcept { return cover_; }
    // The lock was granted. There may be no contender any more: then the grant is released.
    virtual void on_granted(boost::intrusive_ptr<grant>) = 0;
    // Other processes had a turn, or could have had one, or no contender of this process waited: the hand-off budget of
    // the next grant is full.
    void on_contested() noexcept { is_contested_ = true; }
    // Another contender holds the lock, or too few permits of the semaphore are free for so many: single attempts
    // complete as busy.
    void on_busy(unsigned refused);
    // Another contender than those that wait holds the lock, or held it until now: a wait that ends from now on is
    // busy.
    void note_held() noexcept;
    // A reply showed how many permits the semaphore has; -1: not known.
    void on_permits(std::int64_t total);
    // Nothing is known of the lock: single attempts complete with the reason, and the acquisition makes another attempt.
    void on_doubt();
    // An attempt for that lock failed, and waiting does not help: contenders that would send the same commands
    // complete.
    void on_failed(lock_spec const&, detail::described_error const&);
    void fail_head(detail::described_error const&);
    // Does all that is due now; may end the arbiter. Called after each change.
    virtual void proceed() = 0;

    std::size_t waiting() const noexcept { return queue_.size(); }

protected:
    // Whether a single attempt would be refused.
    bool is_known_busy() const noexcept { return is_held_here() || (acquisition_ && acquisition_->is_known_busy()); }
    // Whether a tenure of this process excludes all other contenders.
    virtual bool is_held_here() const noexcept { return false; }
    // When the oldest command was sent for whose reply the contenders wait; never: there is none.
    virtual core::instant unanswered_since() const noexcept;
    virtual void lose_all(loss) = 0;

    boost::intrusive::list<contender>& queue() noexcept { return queue_; }
    // Takes a contender out of its queue; the caller gets the reference that the queue had.
    boost::intrusive_ptr<contender> take(contender&) noexcept;
    void begin_tenure(contender&, grant&);
    void complete_one_shots(detail::described_error const&);
    detail::described_error why_not_served() const;
    bool is_done() const noexcept
    {
        return queue_.empty() && !has_reentries() && (!acquisition_ || acquisition_->is_at_rest());
    }

    // The acquisition, made when it is needed: a lock that is held and that no contender waits for has none, to save
    // memory.
    acquisition& seeker();
    void seek();
    bool is_seeking() const noexcept { return acquisition_ && acquisition_->is_under_way(); }
    void forget_seeker() noexcept;

private:
    static void admit_reentrants(owner_state const&, tenure&);
    void push(contender&);
    core::wait_facts facts_of(contender const&, core::instant now) const noexcept;
    void set_limit(contender&, core::duration);
    // The server is away: ends those that require a connection. Returns whether there was one.
    bool fail_unconnected();
    reentries& entering();
    bool has_reentries() const noexcept { return entering_ && !entering_->empty(); }

    boost::intrusive_ptr<grant> const cover_;
    boost::intrusive::list<contender> queue_;
    std::unique_ptr<reentries> entering_;             // null: there were none yet
    acquisition* acquisition_ = nullptr;              // owned; null: none
    core::instant last_held_ = core::instant::min();  // when another contender held the lock last; min: unknown
    core::instant opened_ = core::instant::min();  // when the session was opened last; min: not since this object began

protected:
    engine_parts const& parts_;

private:
    unsigned one_shots_ = 0;
    bool const is_private_;

protected:
    bool is_contested_ = true;  // since the last grant of this process: see on_contested()
};

}  // namespace holdfast::engine

#endif
