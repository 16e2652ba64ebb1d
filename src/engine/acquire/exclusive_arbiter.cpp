//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/exclusive_arbiter.hpp"

#include <utility>

#include "engine/acquire/arbiter_host.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/hold/tenure_registry.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

exclusive_arbiter::exclusive_arbiter(
    engine_parts const& p, std::shared_ptr<lock_spec const> lock, bool is_private, boost::intrusive_ptr<grant> cover)
    : queued_arbiter(p, std::move(lock), is_private, std::move(cover)),
      budget_(p.runtime.options().local_handoff.max_count, p.runtime.options().local_handoff.max_time)
{}

bool exclusive_arbiter::is_held_here() const noexcept
{
    return grant_ && grant_->lasts(parts_.runtime.now());
}

void exclusive_arbiter::on_granted(boost::intrusive_ptr<grant> g)
{
    if (std::exchange(is_contested_, false))
        budget_.reset(parts_.runtime.recent());
    grant_ = std::move(g);
    // The head may have left or changed while the attempt was under way. A grant that no contender wants is released
    // (rule 7).
    bool const wanted = head() && grant_->lock().shares_grants_with(head()->lock())
                        && grant_->lease() >= head()->terms().time_to_live();
    if (wanted)
        serve(*head());
    else
        parts_.releaser.release(std::move(grant_), nullptr, nullptr);
}

void exclusive_arbiter::serve(contender& c)
{
    begin_tenure(c, *grant_);
    complete_one_shots({});
}

// `last` is the only tenure of the grant, and the body of no other one is still running. A fenced lock is never handed
// off, because only the server assigns fencing tokens. Neither is a write with a read under it: the read may last
// longer.
bool exclusive_arbiter::may_hand_off(tenure const& last, contender const& to) const
{
    auto& g = *grant_;
    return !g.is_at_risk() && !g.covers_reads() && !g.lock().is_fenced() && g.lock().shares_grants_with(to.lock())
           && may_pass_on(last.conditions(), to.terms(), g.valid_until() - parts_.runtime.recent());
}

void exclusive_arbiter::end_tenure(tenure& t, release_waiter* waiter)
{
    // proceed() may drop the last reference to this arbiter, and the grant's list drops that to the tenure.
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    if (!t.held_grant->is_last_claim())
        return end_one_of_several(t, waiter);
    // The decision is made here, before the release is queued, and is final: a retired token is not handed off (rule
    // 6).
    bool const in_budget = head() && budget_.spend(parts_.runtime.recent());
    bool const by_hand = in_budget && may_hand_off(t, *head());
    parts_.tenures.end(t);
    note_held();
    t.held_grant->drop_claim();
    t.held_grant.reset();
    if (by_hand) {
        parts_.runtime.telemetry().on_handed_off(head()->lock());
        serve(*head());
        if (waiter)
            waiter->released({});
        return;
    }
    // The budget is spent. Without a turn of others, one of two processes would hold the lock nearly all the time.
    // A lock that stays taken has no turn to give: all waiters go by its time to live.
    bool const others_turn = head() && !in_budget && grant_->rest(parts_.runtime.recent()) == core::duration::zero();
    parts_.releaser.release(std::move(grant_), waiter, others_turn ? this : nullptr);
    // After the release is submitted: yield() infers from that order whether this client receives the message.
    if (others_turn)
        seeker().yield();
    proceed();
}

// The owner has other holds, or holds that were lost while their bodies go on. The token is deleted when the last body
// has ended, because nothing deletes a key under a running holder (rule 23).
void exclusive_arbiter::end_one_of_several(tenure& t, release_waiter* waiter)
{
    parts_.tenures.end(t);
    if (!grant_->is_held())
        grant_.reset();
    t.held_grant->drop_claim();
    t.held_grant.reset();
    if (waiter)
        waiter->released({});
    proceed();
}

void exclusive_arbiter::lose(tenure& t, loss why)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    parts_.tenures.lose(t, why);
    note_held();
    // The tenures of lost holds keep the grant until their bodies have ended. The arbiter does not wait for that:
    // contenders compete for the lock on the server.
    if (!grant_->is_held())
        grant_.reset();
    proceed();
}

void exclusive_arbiter::lose_all(loss why)
{
    while (grant_)
        lose(grant_->holders().front(), why);
}

void exclusive_arbiter::proceed()
{
    if (!grant_)
        seek();
    // An arbiter that holds the lock keeps no acquisition, to save memory: a client may hold many locks. Without a
    // grant, it ends.
    if (is_done())
        grant_ ? forget_seeker() : parts_.host.forget(*this);
}

}  // namespace holdfast::engine
