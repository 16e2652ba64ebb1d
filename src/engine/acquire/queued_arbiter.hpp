//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_QUEUED_ARBITER_HPP
#define HOLDFAST_ENGINE_QUEUED_ARBITER_HPP

#include <memory>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

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

// An arbiter with a queue of contenders. Redis arbitrates between processes, an arbiter between the coroutines of one.
// It, not a contender, seeks the grant, on behalf of the head of its queue. A contender that is cancelled only leaves
// the queue. What becomes of a grant is up to the two kinds of it.
class queued_arbiter : public arbiter {
public:
    // A private arbiter has one contender, whose place on the server it is; `cover`: the write under which that reads.
    queued_arbiter(
        engine_parts const&, std::shared_ptr<lock_spec const>, bool is_private, boost::intrusive_ptr<grant> cover = {});
    ~queued_arbiter() override;

    bool is_private() const noexcept { return is_private_; }

    // ---- contenders
    void join(contender&);
    void leave(contender&, error_code why) override;
    void expire(contender&, core::instant now) override;
    void re_enter(contender&, tenure&) override;
    void re_enter_all(owner_state const&, tenure&) override;
    void on_extended(contender&, grant&, error_code) override;
    void enter(contender&, grant&, core::instant counted_from, tenure* entered) override;

    // ---- grants
    void on_grant_due(grant&, core::instant now) override;
    void on_released(unsigned heard) override;

    // ---- the connection
    void on_open(core::duration spread);
    void on_closed();
    // Waiting cannot cure it: every contender is told.
    void fail_all(error_code);
    // The client stops: contenders are told, tenures are lost, nothing is sent.
    void stop();

    // ---- the acquisition
    contender* head() noexcept { return queue_.empty() ? nullptr : &queue_.front(); }
    bool has_patient_contender() const noexcept { return one_shots_ < queue_.size(); }
    // The head's attempt with the token of that grant. Precondition: there is a head.
    attempt attempt_with(grant const&) const noexcept;
    // The own write under which its contender reads; null: none.
    boost::intrusive_ptr<grant> const& covering_write() const noexcept { return cover_; }
    // Whether a try with that grant's token is a try for this contender.
    static bool suits(grant const&, contender const&) noexcept;
    virtual void on_granted(boost::intrusive_ptr<grant>) = 0;
    // Others had, or were offered, a turn, or none of ours waited.
    void on_contested() noexcept { is_contested_ = true; }
    void on_busy();
    // Somebody else than those who wait holds it, or held it until now.
    void note_held() noexcept;
    // Nothing is known of the lock now; the acquisition tries again.
    void on_doubt();
    void on_failed(lock_spec const&, error_code);
    void fail_head(error_code);
    virtual void proceed() = 0;

    std::size_t waiting() const noexcept { return queue_.size(); }

protected:
    // Whether nobody here could have it now.
    bool is_known_busy() const noexcept { return is_held_here() || (acquisition_ && acquisition_->is_known_busy()); }
    // Whether a tenure of this process keeps all others out.
    virtual bool is_held_here() const noexcept { return false; }
    // When the oldest command was sent whose answer the contenders wait for; never: none is under way.
    virtual core::instant asked_since() const noexcept;
    virtual void lose_all(loss) = 0;

    boost::intrusive::list<contender>& queue() noexcept { return queue_; }
    boost::intrusive_ptr<contender> take(contender&) noexcept;
    void begin_tenure(contender&, grant&);
    void tell_one_shots(error_code);
    bool is_done() const noexcept
    {
        return queue_.empty() && !has_reentries() && (!acquisition_ || acquisition_->is_at_rest());
    }

    // A lock that is held, and for which nobody waits, needs none.
    acquisition& seeker();
    void seek();
    bool is_seeking() const noexcept { return acquisition_ && acquisition_->is_under_way(); }
    void forget_seeker() noexcept;

private:
    static void admit_reentrants(owner_state const&, tenure&);
    void push(contender&);
    core::wait_facts facts_of(contender const&, core::instant now) const noexcept;
    void set_limit(contender&, core::duration);
    reentries& entering();
    bool has_reentries() const noexcept { return entering_ && !entering_->empty(); }

    boost::intrusive_ptr<grant> const cover_;
    boost::intrusive::list<contender> queue_;
    std::unique_ptr<reentries> entering_;  // null: there has been none
    acquisition* acquisition_ = nullptr;
    core::instant seen_held_ = core::instant::min();  // last; none since the last doubt: min

protected:
    engine_parts const& parts_;

private:
    unsigned one_shots_ = 0;
    bool const is_private_;

protected:
    bool is_contested_ = true;  // since our last grant
};

}  // namespace holdfast::engine

#endif
