//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The events of the model: launches, completions, faults.

#include "oracle/model.hpp"

#include <algorithm>

#include <boost/asio/error.hpp>

#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

bool is_acquire(verb v)
{
    return v == verb::acquire || v == verb::try_acquire || v == verb::with_lock;
}

// A leadership is always renewed.
bool is_renewed(step const& s)
{
    bool const is_campaign = s.has(field::lock) && design_of(s.get(field::lock)).kind == kind::election;
    return is_campaign || !s.has(field::lease) || s.get(field::renew) != 0;
}

core::duration lease_of(step const& s, client_settings const& defaults)
{
    return s.has(field::lease) ? milliseconds_of(s, field::lease) : defaults.lease;
}

core::duration at_least_of(step const& s)
{
    return std::max(milliseconds_of(s, field::at_least), core::duration());
}

// With which a grant is made.
core::duration time_to_live_of(step const& s, client_settings const& defaults)
{
    return std::max(lease_of(s, defaults), at_least_of(s));
}

void add_claims(std::vector<claim>& to, lock_design const& d)
{
    auto const index = &d - locks.data();
    if (d.kind == kind::multi)
        for (auto const m : d.members)
            add_claims(to, locks[m]);
    else if (d.kind == kind::read)
        to.push_back({index + 1, true});  // the write side follows in the table
    else
        to.push_back({index, false});
}

}  // namespace

void model::report(std::string_view check, std::string text)
{
    if (!first_)
        first_ = finding{std::string(check), std::move(text)};
}

void model::require(bool holds, std::string_view check, operation const& o, std::string_view what, error_code ec)
{
    if (holds || first_)
        return;
    auto text = to_text(o.what) + ": " + std::string(what);
    if (ec)
        text += ": " + ec.message();
    report(check, std::move(text));
}

// ---- operations

operation& model::launch(step const& s, core::instant now)
{
    operations_.push_back(
        {.id = int(operations_.size()) + 1, .what = s, .launched = now, .runs_in = s.get(field::process)});
    auto& o = operations_.back();
    if (!s.has(field::lock))
        return o;
    o.design = &design_of(s.get(field::lock));
    if (o.design->kind == kind::latch)
        launch_on_latch(o);
    if (!is_acquire(s.what))
        return o;
    auto& a = activities_[o.id] = {.what = s, .design = o.design, .launched = now};
    add_claims(a.claims, *o.design);
    o.enters = hold_to_enter(a);
    if (is_renewed(s))  // its grant may be handed off, even if it is cancelled
        for_each_part(*o.design, [&](lock_design const& part) {
            auto& period = reach_[{s.get(field::process), part.key}].period;
            period = std::max(period, time_to_live_of(s, settings_));
        });
    begin_request(o, o.id, time_to_live_of(s, settings_));
    return o;
}

void model::launch_on_lease(operation& o, int of, lease_state state)
{
    o.of_hold = of;
    o.state = state;
    if (of == 0)
        return;
    o.of_acquire = acquire_of_[std::size_t(of) - 1];
    auto const& acquire = operations_[std::size_t(o.of_acquire) - 1];
    o.design = acquire.design;
    o.what.set(field::process, acquire.what.get(field::process));
    auto const* h = find_hold(of);
    if (!h)
        return;
    o.is_limited = h->max_hold > core::duration::zero();
    if (o.what.what == verb::extend)
        begin_request(o, o.of_acquire, milliseconds_of(o.what, field::by));
    activities_.at(o.of_acquire).downgrades += o.what.what == verb::downgrade;
}

void model::begin_request(operation const& o, int acquire, core::duration lease)
{
    if (lease > core::duration::zero())
        requests_.push_back({&o, acquire, lease});
}

// A request for a time to live may have taken effect even if it was refused, cancelled or not answered.
void model::end_request(operation const& o, core::instant now, core::duration later)
{
    auto const found = std::ranges::find(requests_, &o, &lease_request::by);
    if (found == requests_.end())
        return;
    auto const request = *found;
    requests_.erase(found);
    auto const end = now + later + request.lease - core_drift(request.lease);
    auto const& from = activities_.at(request.acquire);
    for_each_part(*from.design, [&](lock_design const& part) {
        auto& allowed = reach_[{from.what.get(field::process), part.key}].allowed;
        allowed = std::max(allowed, end);
    });
    for (auto& [id, h] : holds_)
        if (may_profit(h, request))
            h.allowed = std::max(h.allowed, end);
}

void model::cancel(operation& o, core::instant now)
{
    if (!o.cancelled && !o.done)
        o.cancelled = now;
}

bool model::is_brief(step const& s) const
{
    return lease_of(s, settings_) <= settings_.tolerance;
}

core::duration model::undo_limit(lock_design const& d, bool disturbed) const
{
    return undo_time(d, disturbed) + settings_.tolerance;
}

// When nothing of an acquire is left that has ended now. With at_least the lock stays taken: from the receipt of the
// grant, and 1 % longer for the clock of the server.
core::instant model::gone_by(activity const& a, core::instant now, bool disturbed) const
{
    auto const stays = at_least_of(a.what);
    return now + undo_limit(*a.design, disturbed) + stays + core_drift(stays);
}

bool model::finish(operation& o, core::instant now, error_code ec)
{
    require(!std::exchange(o.done, true), "completes_once", o, "completed twice");
    // The command may be under way, or be sent again: by its text, if the server does not know the script.
    end_request(o, now, ec ? settings_.command_timeout : core::duration());
    if (ec == boost::asio::error::operation_aborted) {
        require(o.cancelled.has_value(), "aborted_only_when_cancelled", o, "aborted, but nobody cancelled it");
        return false;
    }
    check_deadline(o, now);
    if (ec && !may_fail(o, now, ec))
        require(false, "closed_list_of_errors", o, "must not end with", ec);
    return !ec;
}

int model::acquired(operation& o, core::instant now, error_code ec, lease_view const& l)
{
    bool const is_empty = l.state == lease_state::empty;
    // The extension for a re-entry whose wait has ended may be under way as well.
    if (is_empty)
        end_request(o, now, settings_.command_timeout);
    bool const ok = finish(o, now, ec);
    require(ok || is_empty, "no_lease_with_an_error", o, "an error and a lease", ec);
    require(!ok || has_valid_options(o, now), "options_are_checked", o, "an option out of range was accepted");
    count(o, ec, !is_empty);
    auto& a = activities_[o.id];
    if (!is_empty)
        return begin_hold(o, now, l);
    a.over = gone_by(a, now, is_disturbed(*o.design, a.what.get(field::process), a.launched, now));
    if (ok)
        require(o.what.what != verb::acquire, "acquire_waits", o, "completed with an empty lease");
    if (ok && o.what.what == verb::try_acquire)
        require(
            may_be_busy(o, now), "busy_only_when_held", o, "busy, but nobody else uses it, or the servers were silent");
    if (ok && o.what.get(field::wait) > 0)
        require(
            now >= o.launched + milliseconds_of(o.what, field::wait) - 1ms,
            "busy_after_the_wait",
            o,
            "busy before the wait was over");
    return 0;
}

// A cancelled acquire may have been granted before; with_lock does not report a lease that is lost before its body
// starts.
void model::count(operation const& o, error_code ec, bool acquired)
{
    is_countable_ = is_countable_ && !o.cancelled && ec != errc::lease_lost;
    reported_.acquired += acquired;
    reported_.busy += !acquired && (!ec || ec == errc::busy);
    reported_.unavailable += !acquired && (ec == errc::unavailable || ec == errc::no_quorum);
}

void model::check_counters(counters const& c)
{
    if (!is_countable_ || has_stopped_client())
        return;
    auto const compare = [&](std::string_view what, std::uint64_t counted, std::uint64_t reported) {
        if (counted != reported)
            report(
                "counters_agree_with_operations",
                std::string(what) + ": " + std::to_string(counted) + " instead of " + std::to_string(reported));
    };
    compare("acquired", c.acquired, reported_.acquired);
    compare("busy", c.busy, reported_.busy);
    compare("unavailable", c.unavailable, reported_.unavailable);
}

// The grant may come from an earlier acquire of the process, by re-entry or hand-off.
core::instant model::begin_of_grant(operation const& o) const
{
    auto begin = o.launched;
    for (auto const& [id, other] : activities_) {
        bool const is_local = other.what.get(field::process) == o.what.get(field::process);
        if (is_local && other.over >= o.launched && have_common_part(*o.design, *other.design))
            begin = std::min(begin, other.launched);
    }
    return begin;
}

int model::begin_hold(operation& o, core::instant now, lease_view const& l)
{
    auto const lease = lease_of(o.what, settings_);
    hold h{
        .id = ++last_hold_,
        .operation = o.id,
        .lease = lease,
        .period = is_renewed(o.what) ? time_to_live_of(o.what, settings_) : lease,
        .max_hold = o.what.has(field::max_hold) ? milliseconds_of(o.what, field::max_hold) : core::duration(),
        .renewed = is_renewed(o.what),
        .granted = now};
    acquire_of_.push_back(o.id);
    auto const end = now + h.lease - core_drift(h.lease);
    h.allowed = h.renewed ? core::instant::min() : end;
    h.promised = h.renewed && !is_brief(o.what) ? core::never : end - slack - settings_.tolerance;
    if (h.max_hold > core::duration::zero())
        h.promised = std::min(h.promised, now + h.max_hold - slack - settings_.tolerance);
    h.shared_since = begin_of_grant(o);
    h.tainted = loses_data(*o.design, h.shared_since, now);
    activities_[o.id].is_held = true;
    activities_[o.id].held_since = now;
    // A renewed hold may use the grant of another hold of its process, which lasts longer.
    for_each_part(*o.design, [&](lock_design const& part) {
        auto& in_process = reach_[{o.what.get(field::process), part.key}];
        if (h.renewed) {
            h.period = std::max(h.period, in_process.period);
            h.allowed = std::max(h.allowed, in_process.allowed);
        }
        in_process.period = std::max(in_process.period, h.period);
    });
    end_request(o, now);
    for (auto& [id, other] : holds_)
        if (shares_grant(activities_[o.id], activities_[other.operation])) {
            h.period = std::max(h.period, other.period);
            other.period = std::max(other.period, h.period);
            h.shared_since = std::min(h.shared_since, other.shared_since);
            h.tainted = h.tainted || other.tainted;
            if (h.renewed)
                h.allowed = std::max(h.allowed, other.allowed);
        }
    // A late thread may deliver a lease that has ended after the next lease was granted.
    if (o.what.has(field::at_least))
        reserve(o, h, now);
    if (l.is_valid()) {
        check_exclusion(h, now);
        check_order(o, l);
    }
    auto& kept = holds_[h.id] = h;
    check(kept.id, now, l);
    return h.id;
}

void model::body_ended(int id, core::instant now)
{
    gave_up(id, now);
}

void model::with_lock_ended(operation& o, core::instant now, error_code ec, bool body_ran)
{
    bool const ok = finish(o, now, ec);
    count(o, ec, body_ran);
    auto& a = activities_[o.id];
    a.is_held = false;
    a.held_until = now;
    a.over = gone_by(a, now, is_disturbed(*o.design, a.what.get(field::process), a.launched, now));
    require(!ok || has_valid_options(o, now), "options_are_checked", o, "an option out of range was accepted");
    require(!ok || body_ran, "with_lock_runs_its_body", o, "succeeded without running the body");
    if (ec == errc::busy)
        require(!body_ran && may_be_busy(o, now), "busy_only_when_held", o, "busy, but nobody else uses it");
}

void model::queried(operation& o, core::instant now, error_code ec, std::optional<bool> answer)
{
    if (!finish(o, now, ec) || !answer || o.what.what != verb::is_locked || is_composite(*o.design))
        return;
    if (*answer || is_disturbed(*o.design, o.what.get(field::process), o.launched, now))
        return;
    // A read by the holder of the write is not visible to is_locked(). A semaphore is locked when all permits are held.
    if (o.design->kind == kind::read || o.design->kind == kind::semaphore)
        return;
    for (auto const& [id, h] : holds_) {
        auto const& a = activities_[h.operation];
        bool const was_held = a.design == o.design && h.granted <= o.launched && h.is_valid && h.promised > now;
        require(!was_held || h.tainted, "is_locked_reports_holders", o, "false while a lease is valid");
    }
}

// ---- latches

void model::launch_on_latch(operation const& o)
{
    auto& l = latches_[o.design->key];
    if (o.what.what == verb::set_latch)
        l.launched_set(o.id, o.launched);
    if (o.what.what == verb::remove_latch)
        l.launched_remove(o.id);
    if (o.what.what == verb::count_down)
        l.launched_count_down(o.id, o.what.get(field::by, 1), o.launched);
}

void model::latch_ended(operation& o, core::instant now, error_code ec, std::int64_t answer)
{
    bool const ok = finish(o, now, ec);
    if (ec == errc::invalid_option)
        latches_[o.design->key].refused(o.id);
    if (!ok)
        return;
    require(has_valid_options(o, now), "options_are_checked", o, "an option out of range was accepted");
    auto const flaw = latch_flaw(o, now, answer);
    require(flaw.empty(), "a_latch_counts_each_call_once", o, flaw);
}

std::string model::latch_flaw(operation const& o, core::instant now, std::int64_t answer)
{
    auto& l = latches_[o.design->key];
    latch_model::interval const when{o.launched, now};
    switch (o.what.what) {
        case verb::set_latch: return l.set(o.id, when, o.what.get(field::count), answer != 0);
        case verb::count_down: return l.counted_down(o.id, when, answer);
        case verb::count: return l.read(when, answer);
        case verb::remove_latch: l.removed(o.id, when, answer != 0); return {};
        default: break;
    }
    if (answer != 0)
        return l.opened(when);
    if (!o.what.has(field::wait))
        return "a wait without a limit ended with false";
    bool const may_know = !is_hasty(o.what, answer_time + settings_.tolerance)
                          && !is_disturbed(*o.design, o.what.get(field::process), o.launched, now);
    return may_know ? l.still_closed(when, slack + settings_.tolerance) : std::string();
}

void model::extended(operation& o, core::instant now, error_code ec, lease_view const* l)
{
    auto const found = holds_.find(o.of_hold);
    auto const by = milliseconds_of(o.what, field::by);
    if (!finish(o, now, ec) || found == holds_.end())
        return;
    require(may_extend(o, now) || o.is_limited, "options_are_checked", o, "an option out of range was accepted");
    if (!l || (l->state == lease_state::empty && may_be_given_up(o)))
        return;
    auto const least = o.launched + by - core_drift(by);
    // It may be lost as soon as its key was deleted, although the extension came before.
    bool const limited = found->second.max_hold > core::duration::zero() || found->second.tainted
                         || by > confirmed_lease(found->second, by);
    require(
        limited || now + l->left_most + 1us + settings_.tolerance >= least,
        "extend_reaches_its_end",
        o,
        "the lease is valid for less than it was extended by");
    if (!limited && !found->second.renewed)
        found->second.promised = std::max(found->second.promised, least - settings_.tolerance);
}

void model::ended_watch(operation& o, core::instant now, error_code ec, loss why, lease_view const* l)
{
    if (!finish(o, now, ec))
        return;
    auto const* h = find_hold(o.of_hold);
    require(!l || !l->is_valid(), "lost_reports_a_loss", o, "lost() completed, and the lease is valid");
    if (!h)
        return;
    auto const& a = activities_[h->operation];
    auto const process = a.what.get(field::process);
    bool const calm = !is_disturbed(*a.design, process, a.launched, now);
    require(why != loss::max_hold || h->max_hold > 0s, "loss_has_its_reason", o, "max_hold, but there is none");
    require(
        why != loss::key_missing || h->tainted || !calm,
        "loss_has_its_reason",
        o,
        "its key is missing, but nothing deleted it");
}

void model::released(operation& o, core::instant now, error_code ec)
{
    finish(o, now, ec);
}

int model::downgraded(operation& o, core::instant now, error_code ec, lease_view const& l)
{
    bool const ok = finish(o, now, ec);
    if (auto const* of = find_hold(o.of_hold))
        --activities_.at(of->operation).downgrades;
    bool const is_empty = l.state == lease_state::empty;
    require(ok != is_empty, "downgrade_gives_a_read", o, "success without a lease, or an error with one", ec);
    auto const* h = find_hold(o.of_hold);
    if (h && ec == errc::lease_lost)
        gave_up(h->id, now);
    if (is_empty || !h)
        return 0;
    // It keeps the terms of the write, and is a read from here on.
    auto const before = *h;
    auto& write = operations_[std::size_t(before.operation) - 1];
    auto s = write.what;
    s.set(field::lock, s.get(field::lock) - 1);
    auto& read = launch(s, now);
    read.done = true;
    activities_[read.id].launched = activities_[before.operation].launched;
    auto const id = begin_hold(read, now, l);
    holds_[id].tainted = before.tainted;
    gave_up(before.id, now);
    return id;
}

void model::gave_up(int id, core::instant now)
{
    auto const found = holds_.find(id);
    if (found == holds_.end())
        return;
    auto const h = found->second;
    if (activities_[h.operation].downgrades == 0)
        check_reentries(h, now);
    holds_.erase(found);
    auto& a = activities_[h.operation];
    a.is_held = false;
    // with_lock releases its lease some turns of the scheduler after the body has ended.
    if (a.what.what != verb::with_lock)
        a.held_until = now;
    bool const doubtful = !h.is_valid || is_disturbed(*a.design, a.what.get(field::process), a.launched, now);
    auto const left = h.period + (std::max(h.allowed, now) - now);
    a.over = gone_by(a, now, doubtful) + (doubtful ? left : core::duration::zero());
}

// ---- faults

// A server that continues answers again: the end of one of its outages ends all of them.
void model::disturb(unsigned server, core::instant from, core::instant to, bool is_outage)
{
    if (to != core::never)
        to += settings_.tolerance;
    disturbed_.push_back({server, from, to, is_outage});
    if (!is_outage)
        return;
    auto const goes_on = [&](interval const& i) { return i.is_outage && i.server == server && i.to - recovery > from; };
    auto end = to;
    for (auto const& i : disturbed_)
        end = goes_on(i) ? std::min(end, i.to) : end;
    for (auto& i : disturbed_)
        i.to = goes_on(i) ? end : i.to;
}

// All faults are over.
void model::heal(core::instant now)
{
    for (auto& i : disturbed_)
        i.to = std::min(i.to, now + recovery);
}

void model::replace(unsigned server)
{
    for (auto& i : disturbed_)
        i.is_outage = i.is_outage && i.server != server;
}

void model::disturb_process(std::int64_t process, core::instant from, core::instant to)
{
    process_disturbed_.push_back({process, {0, from, to, false}});
    // A release that the process has not sent is sent when it goes on.
    for (auto& [id, a] : activities_)
        if (a.what.get(field::process) == process && a.over > from && a.over != core::never)
            a.over = to == core::never ? core::never : a.over + (to - from);
}

void model::lose_data(unsigned server, std::string_view key, core::instant from, core::instant to)
{
    to += settings_.tolerance;
    losses_.push_back({server, std::string(key), from, to});
    for (auto& [id, h] : holds_)
        h.tainted = h.tainted || loses_data(*activities_[h.operation].design, from, to);
    for (auto const& d : locks)
        if (d.kind == kind::latch && d.server == server && (key.empty() || d.key == key))
            latches_[d.key].forget(to);
}

void model::plant(lock_design const& d, core::instant now)
{
    for_each_part(d, [&](lock_design const& part) { planted_.emplace_back(&part, now); });
    if (d.kind == kind::latch)
        latches_[d.key].forget(core::never);
}

void model::stop(std::int64_t process, unsigned server, core::instant now)
{
    stopped_.try_emplace({process, server}, now);
    for (auto& [id, a] : activities_) {
        bool uses = false;
        for_each_part(*a.design, [&](lock_design const& part) { uses = uses || part.server == server; });
        if (uses && a.what.get(field::process) == process && a.over > now) {
            a.is_held = false;
            a.over = core::never;  // its key stays until it expires
        }
    }
}

void model::put_away(int id)
{
    auto const found = holds_.find(id);
    if (found == holds_.end())
        return;
    found->second.is_out_of_sight = true;
    found->second.is_valid = false;
    activities_.at(found->second.operation).is_held = false;
}

hold const* model::find_hold(int id) const
{
    auto const found = holds_.find(id);
    return found == holds_.end() ? nullptr : &found->second;
}

}  // namespace holdfast::test::oracle
