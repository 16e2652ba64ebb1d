//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/permit_arbiter.hpp"

#include <cassert>
#include <utility>

#include "engine/acquire/arbiter_host.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/hold/tenure_registry.hpp"
#include "engine/release/releaser.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

permit_arbiter::permit_arbiter(engine_parts const& p, std::shared_ptr<lock_spec const> lock)
    : queued_arbiter(p, std::move(lock), false),
      budget_(p.runtime.options().local_handoff.max_count, p.runtime.options().local_handoff.max_time)
{}

permit_arbiter::~permit_arbiter()
{
    assert(grants_.empty());
}

void permit_arbiter::on_granted(boost::intrusive_ptr<grant> g)
{
    if (std::exchange(is_contested_, false))
        budget_.reset(parts_.runtime.recent());
    // The head may have left or changed while the attempt was under way (rule 7).
    bool const wanted = head() && g->lock().shares_grants_with(head()->lock())
                        && g->lease() >= head()->terms().time_to_live();
    if (!wanted)
        return parts_.releaser.release(std::move(g), nullptr, nullptr);
    grants_.insert(g.get());
    begin_tenure(*head(), *g);
}

bool permit_arbiter::may_hand_off(grant const& g, tenure const& last, contender const& to) const
{
    return !g.is_at_risk() && !g.lock().is_fenced() && g.lock().shares_grants_with(to.lock())
           && may_pass_on(last.conditions(), to.terms(), g.valid_until() - parts_.runtime.recent());
}

void permit_arbiter::end_tenure(tenure& t, release_waiter* waiter)
{
    // proceed() may drop the last reference to this arbiter, and the grant's list drops that to the tenure.
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    // The decision is final: a retired token is not handed off (rule 6).
    bool const in_budget = head() && budget_.spend(parts_.runtime.recent());
    bool const by_hand = in_budget && may_hand_off(*t.held_grant, t, *head());
    parts_.tenures.end(t);
    auto g = std::exchange(t.held_grant, nullptr);
    g->drop_claim();
    if (by_hand) {
        parts_.runtime.telemetry().on_handed_off(head()->lock());
        begin_tenure(*head(), *g);
        if (waiter)
            waiter->released({});
    } else
        release(std::move(g), waiter, in_budget);
    proceed();
}

void permit_arbiter::release(boost::intrusive_ptr<grant> g, release_waiter* waiter, bool in_budget)
{
    grants_.erase(g.get());
    // During an attempt the acquisition cannot yield; a later release will. Permits that stay taken give no turn.
    bool const is_free = g->rest(parts_.runtime.recent()) == core::duration::zero();
    bool const others_turn = head() && !in_budget && !is_seeking() && is_free;
    parts_.releaser.release(std::move(g), waiter, others_turn ? this : nullptr);
    // After the release is submitted: yield() infers from that order whether this client receives the message.
    if (others_turn)
        seeker().yield();
}

void permit_arbiter::lose(tenure& t, loss why)
{
    boost::intrusive_ptr<arbiter> const keep(this);
    boost::intrusive_ptr<tenure> const keep_tenure(&t);
    grants_.erase(t.held_grant.get());
    parts_.tenures.lose(t, why);
    proceed();
}

void permit_arbiter::lose_all(loss why)
{
    while (!grants_.empty())
        lose((*grants_.begin())->holders().front(), why);
}

void permit_arbiter::proceed()
{
    boost::intrusive_ptr<arbiter> const keep(this);
    seek();
    // As in an exclusive arbiter: without contenders it keeps no acquisition, and without grants it ends.
    if (is_done())
        grants_.empty() ? parts_.host.forget(*this) : forget_seeker();
}

}  // namespace holdfast::engine
