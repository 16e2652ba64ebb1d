//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/tenure_registry.hpp"

#include <algorithm>
#include <cassert>

#include <holdfast/error.hpp>

#include "engine/hold/grant.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/tenure_facts.hpp"
#include "engine/hold/watchdog.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

void tenure_registry::begin(tenure& t, grant& g, arbiter& home)
{
    // Another arbiter, which may end first, must not replace the one that has the grant.
    assert(!g.is_held() || g.home == &home);
    g.home = &home;
    runtime_.telemetry().on_begun(t.lock(), t.conditions().is_part);
    t.set_valid_until(g.valid_until());
    if (g.is_at_risk())
        t.set_state(lease_state::at_risk);
    bool const is_first = !g.is_held();
    g.enter(t);
    // Only the transition into `held` makes the watchdog watch a grant (rule 17).
    is_first ? watchdog_.watch(g) : watchdog_.attend(g, t);
    if (t.owner())
        t.owner()->begins(t);
}

void tenure_registry::end(tenure& t)
{
    t.waiters.clear_and_dispose([](loss_waiter* w) { w->failed(errc::released); });
    runtime_.telemetry().on_ended(facts_of(t, runtime_.recent()));
    detach(t);
}

void tenure_registry::lose(tenure& t, loss why)
{
    t.set_state(lease_state::lost);
    t.set_reason(why);
    // After the state is set: the waiter's handler may run at once on another thread, where the lease must be lost.
    t.waiters.clear_and_dispose([why](loss_waiter* w) { w->lost(why); });
    runtime_.telemetry().on_lost(facts_of(t, runtime_.now()), why);
    detach(t);
    // After detach(), which unlinks the tenure from its grant: both lists use the same hook.
    intrusive_ptr_add_ref(&t);
    lost_.push_back(t);
}

void tenure_registry::detach(tenure& t) noexcept
{
    if (t.owner())
        t.owner()->ends(t);
    t.end_hold();
    auto& g = *t.held_grant;
    g.leave(t);
    if (g.is_held())
        return;
    // Rule 17. Another arbiter may take the grant over, or none.
    watchdog_.unwatch(g);
    g.home = nullptr;
}

core::instant tenure_registry::lost_until(grant const& g) const noexcept
{
    auto end = core::instant::min();
    for (auto const& t : lost_)
        if (t.held_grant == &g)
            end = std::max(end, t.valid_until());
    return end;
}

void tenure_registry::forget_lost(tenure& t) noexcept
{
    if (!t.is_lost() || !t.is_linked())
        return;
    lost_.erase(lost_.iterator_to(t));
    intrusive_ptr_release(&t);
}

void tenure_registry::sever_lost() noexcept
{
    lost_.clear_and_dispose([](tenure* t) {
        t->held_grant.reset();
        intrusive_ptr_release(t);
    });
}

}  // namespace holdfast::engine
