//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/watchdog.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

#include <holdfast/error.hpp>

#include "core/second_look.hpp"
#include "core/turn_budget.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/hold/tenure_facts.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

bool is_taken_up(grant const& g)
{
    return std::ranges::any_of(g.holders(), [](tenure const& t) { return t.is_taken_up(); });
}

}  // namespace

watchdog::watchdog(runtime& r) : runtime_(r), sender_(r, *this) {}

watchdog::~watchdog()
{
    stop();
}

void watchdog::watch(grant& g)
{
    assert(g.is_held() && !g.is_retired() && !g.watcher);
    g.watcher = this;
    watched_.push_back(g);
    advance(g, renewal_event::watched);
    arm(g);
}

// Does not iterate over the other holds, because many readers may join at once. The deadline only moves to an earlier
// time.
void watchdog::attend(grant& g, tenure const& t)
{
    auto const stop = g.stop_at(t);
    auto const due = t.conditions().renewed ? std::min(stop, g.renewal_due()) : stop;
    if (!g.is_armed() || due < g.due())
        runtime_.arm(g, due);
}

void watchdog::unwatch(grant& g)
{
    if (!std::exchange(g.watcher, nullptr))
        return;
    watched_.erase(watched_.iterator_to(g));
    runtime_.disarm(g);
}

void watchdog::extend(grant& g, tenure* t, core::duration lease, extension_waiter* waiter)
{
    if (!runtime_.session_of(g.lock()).is_open()) {
        if (waiter)
            waiter->extended({errc::unavailable, runtime_.why_silent(g.lock())});
        return;
    }
    sender_.extend(g, t, lease, waiter);
}

void watchdog::arm(grant& g)
{
    auto due = core::never;
    for (auto const& t : g.holders())
        due = std::min(due, g.stop_at(t));
    if (g.is_kept())
        due = std::min(due, g.renewal_due());
    else
        advance(g, renewal_event::not_required);
    runtime_.arm(g, due);
}

void watchdog::on_due(grant& due, core::instant now)
{
    // The last loss may drop all other references to the grant.
    boost::intrusive_ptr<grant> const g(&due);
    lose_where(*g, [&](tenure const& t) { return g->stop_at(t) <= now; });
    if (!g->is_held())
        return;
    if (g->is_kept() && now >= g->renewal_due())
        renew(*g, core::is_late(due.due(), now));
    arm(*g);
}

void watchdog::renew(grant& g, bool is_late)
{
    auto& session = runtime_.session_of(g.lock());
    // The connection may have failed without an error. If the client closes it now, there is time to renew the lease on
    // a new one. A late watchdog judges at the next renewal: the replies may wait in the socket.
    if (!is_late && session.is_open() && g.schedule.is_silent_too_long(runtime_.recent(), g.period()))
        session.drop("renewals were not answered");
    if (!is_taken_up(g))
        return advance(g, renewal_event::due_untaken);
    advance(g, session.is_open() ? renewal_event::due : renewal_event::due_closed);
}

// Advances the schedule and does what it says: sends a renewal, and reports a risk once, when it begins. Each caller
// runs just after the clock was read.
void watchdog::advance(grant& g, renewal_event e)
{
    bool const was_at_risk = g.is_at_risk();
    g.schedule.on(e, runtime_.recent());
    if (is_sent_at(e))
        due_.emplace_back(&g);
    if (g.is_at_risk() != was_at_risk)
        set_risk(g, !was_at_risk);
}

void watchdog::set_risk(grant& g, bool is_at_risk)
{
    for (auto& t : g.holders()) {
        t.set_state(is_at_risk ? lease_state::at_risk : lease_state::held);
        if (is_at_risk)
            runtime_.telemetry().on_at_risk(facts_of(t, runtime_.recent()));
    }
}

template <class Condition>
void watchdog::lose_where(grant& g, Condition is_over)
{
    for (auto next = g.holders().begin(); next != g.holders().end();) {
        // The loss removes the tenure from the list.
        auto& t = *next++;
        if (is_over(t))
            g.home->lose(t, t.cause_of_end());
    }
}

void watchdog::lose_all(grant& g, loss why)
{
    boost::intrusive_ptr<grant> const keep(&g);
    while (g.is_held())
        g.home->lose(g.holders().front(), why);
}

void watchdog::on_key_missing(grant& g)
{
    lose_all(g, loss::key_missing);
}

// A refusal is a reply, so the connection stays. The cause may be temporary, so the next renewal is sent after the time
// of a repetition.
void watchdog::on_refused(grant& g, answer const& a)
{
    note_refusal(g, a);
    advance(g, renewal_event::refused);
    arm(g);
}

// Logs one line for each change. A refusal that comes from the state of the server concerns all leases, and is logged
// once for all of them; any other concerns this lease.
void watchdog::note_refusal(grant& g, answer const& a)
{
    auto& last = is_passing(a.why) ? last_refusal_ : g.last_refusal;
    if (std::exchange(last, a.why) == a.why)
        return;
    auto const ec = classify_failure(a).error;
    runtime_.telemetry().on_refused(ec ? ec : errc::unavailable, g.lock(), a.words);
}

void watchdog::note_success(grant& g)
{
    bool const was_refused = std::exchange(g.last_refusal, refusal::none) != refusal::none;
    if (std::exchange(last_refusal_, refusal::none) != refusal::none || was_refused)
        runtime_.telemetry().on_renewed_again(g.lock());
}

// What the server granted before counts on; the next renewal is sent after the time of a repetition.
void watchdog::on_unacknowledged(grant& g)
{
    advance(g, renewal_event::refused);
    arm(g);
}

void watchdog::on_unanswered(grant& g)
{
    advance(g, g.is_kept() ? renewal_event::unanswered : renewal_event::extension_unanswered);
}

// A reply that comes after the validity has ended does not revive it (rule 4): holds that have ended are lost before
// the grant is confirmed. False: too late for `extended`, or for all holds.
bool watchdog::on_kept(grant& g, tenure* extended, answer const& a, core::duration lease, bool is_closed)
{
    boost::intrusive_ptr<grant> const keep(&g);
    auto const now = runtime_.now();
    lose_where(g, [now](tenure const& t) { return t.valid_until() <= now; });
    if (!g.is_held() || (extended && !extended->is_holding()))
        return false;
    g.confirm(a.sent, lease);
    g.is_closed = is_closed;
    note_success(g);
    if (extended)
        extended->extend(a.sent, lease);
    advance(g, renewal_event::confirmed);
    g.prolong_holds(now);
    report_renewal(g, runtime_.now() - a.sent);
    arm(g);
    return true;
}

void watchdog::report_renewal(grant& g, core::duration lag)
{
    auto& telemetry = runtime_.telemetry();
    telemetry.on_renewed(g.lock(), lag);
    if (telemetry.has_observer())
        for (auto const& t : g.holders())
            telemetry.on_renewed(facts_of(t, runtime_.recent()), lag);
}

void watchdog::flush()
{
    auto due = std::exchange(due_, {});
    std::erase_if(due, [this](auto const& g) { return !runtime_.session_of(g->lock()).is_open(); });
    if (due.size() > core::turn_budget) {
        due_.assign(due.begin() + std::ptrdiff_t{core::turn_budget}, due.end());
        due.resize(core::turn_budget);
        runtime_.arm(rest_due_, core::next_turn(runtime_.recent()));
    }
    if (!due.empty())
        sender_.renew(due);
}

// Renews all grants at once when an epoch begins: the server may have restarted without their keys.
void watchdog::on_open(shard& at)
{
    at.renewals().on_open();
    auto const now = runtime_.now();
    for (auto& g : watched_) {
        if (!runtime_.is_at(at, g.lock()))
            continue;
        // The barrier of the epoch has ended the old connection: commands of unknown outcome can no longer be executed
        // (rule 8).
        g.on_barrier(now);
        renew_again(g);
    }
    flush();
}

void watchdog::renew_again(grant& g)
{
    if (!g.is_kept() || !is_taken_up(g))
        return;
    advance(g, renewal_event::opened);
    arm(g);
}

// If the session to the new primary is not open yet, on_open() renews.
void watchdog::on_moved(core::slot_set const& moved)
{
    for (auto& g : watched_)
        if (moved[g.lock().slot] && runtime_.session_of(g.lock()).is_open())
            renew_again(g);
    flush();
}

void watchdog::on_closed(shard& at)
{
    std::erase_if(due_, [&](auto const& g) { return runtime_.is_at(at, g->lock()); });
}

void watchdog::stop()
{
    due_.clear();
    sender_.stop();
    while (!watched_.empty())
        unwatch(watched_.front());
}

}  // namespace holdfast::engine
