//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/watchdog.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <holdfast/error.hpp>

#include "core/validity.hpp"
#include "engine/hold/arbiter.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

watchdog::watchdog(runtime& r) : runtime_(r), sender_(r, *this) {}

watchdog::~watchdog()
{
    stop();
}

void watchdog::watch(grant& g)
{
    assert(g.is_held() && !g.is_retired() && !g.watcher);
    g.watcher = this;
    g.asked_since = core::never;
    g.at_risk = false;
    watched_.push_back(g);
    arm(g);
}

// Does not look at the other holds: many readers may join at once. The deadline only moves to an earlier time.
void watchdog::attend(grant& g, tenure const& t)
{
    auto const stop = g.stop_at(t);
    auto const due = t.conditions().renewed ? std::min(stop, next_ask(g)) : stop;
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
    if (!runtime_.session().is_open()) {
        if (waiter)
            waiter->extended(errc::unavailable);
        return;
    }
    sender_.extend(g, t, lease, waiter);
}

core::instant watchdog::next_ask(grant const& g) const
{
    auto const again = g.asked_last + core::renewal_retry(g.period());
    // Without a reply the client repeats the renewal after a sixth, without waiting for a time-out (rule 16).
    return g.owes_answer() ? again : std::max(again, core::renewal_due(g.confirmed(), g.period()));
}

void watchdog::arm(grant& g)
{
    auto stop = core::never;
    for (auto const& t : g.holders())
        stop = std::min(stop, g.stop_at(t));
    if (!g.is_kept())
        g.asked_since = core::never;  // an unanswered extension does not count against a later connection
    runtime_.arm(g, g.is_kept() ? std::min(stop, next_ask(g)) : stop);
}

void watchdog::on_due(grant& due, core::instant now)
{
    // The last loss may drop all other references to the grant.
    boost::intrusive_ptr<grant> const g(&due);
    // First: a hold that was taken up after the last confirmation has the end that it had before, and would be lost.
    g->prolong_holds(now, nullptr);
    lose_where(*g, [&](tenure const& t) { return g->stop_at(t) <= now; });
    if (!g->is_held())
        return;
    if (g->is_kept() && now >= next_ask(*g)) {
        bool const is_ignored = g->owes_answer() && now - g->asked_since >= core::longest_silence(g->period());
        // The connection may be dead without an error. Closed now, it leaves time to renew the lease on a new one.
        if (is_ignored && runtime_.session().is_open())
            runtime_.session().drop("renewals were not answered");
        ask(*g, now);
    }
    arm(*g);
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
    lose_all(g, loss::gone);
}

void watchdog::ask(grant& g, core::instant now)
{
    g.asked_last = now;
    // A lease that its handler has not taken up expires: its handler may never run.
    if (std::ranges::none_of(g.holders(), [](tenure const& t) { return t.is_taken_up(); }))
        return;
    // The last renewal is unanswered, or this one cannot be sent: the lease is at risk.
    if (g.owes_answer() || !runtime_.session().is_open())
        on_unanswered(g);
    if (!g.owes_answer())
        g.asked_since = now;
    if (runtime_.session().is_open())
        due_.emplace_back(&g);
}

// A refusal is a reply, so the connection stays. The cause may be temporary, so the next renewal is sent after the time
// of a repetition.
void watchdog::on_refused(grant& g, answer const& a)
{
    g.asked_since = core::never;
    note_refusal(g, a);
    put_at_risk(g);
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

void watchdog::on_unanswered(grant& g)
{
    if (g.is_held() && g.is_kept() && !g.owes_answer())
        g.asked_since = g.asked_last = runtime_.now();
    put_at_risk(g);
}

void watchdog::put_at_risk(grant& g)
{
    if (!g.is_held() || g.is_retired() || std::exchange(g.at_risk, true))
        return;
    for (auto& t : g.holders()) {
        t.set_state(lease_state::at_risk);
        runtime_.telemetry().on_at_risk(t.lock().name, label_of(t.owner()));
    }
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
    g.asked_since = core::never;
    note_success(g);
    if (extended)
        extended->extend(a.sent, lease);
    if (std::exchange(g.at_risk, false))
        for (auto& t : g.holders())
            t.set_state(lease_state::held);
    g.prolong_holds(now, extended);
    runtime_.telemetry().on_renewed(runtime_.now() - a.sent);
    arm(g);
    return true;
}

void watchdog::flush()
{
    auto due = std::exchange(due_, {});
    if (!due.empty() && runtime_.session().is_open())
        sender_.renew(due);
}

// Renews all grants at once when an epoch begins: the server may have restarted without their keys.
void watchdog::on_open()
{
    sender_.on_open();
    auto const now = runtime_.now();
    for (auto& g : watched_) {
        // The barrier of the epoch has ended the old connection: commands of unknown outcome can no longer be executed
        // (rule 8).
        g.on_barrier(now);
        if (g.is_kept() && std::ranges::any_of(g.holders(), [](tenure const& t) { return t.is_taken_up(); })) {
            g.asked_since = g.asked_last = now;
            due_.emplace_back(&g);
            arm(g);
        }
    }
    flush();
}

void watchdog::on_closed()
{
    due_.clear();
}

void watchdog::stop()
{
    due_.clear();
    sender_.stop();
    while (!watched_.empty())
        unwatch(watched_.front());
}

}  // namespace holdfast::engine
