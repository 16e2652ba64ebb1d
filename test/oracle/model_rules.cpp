//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What is allowed: who may hold, which verdicts are possible, how long a lease is valid.

#include <algorithm>

#include "oracle/model.hpp"
#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

bool has_owner(step const& s, lock_design const& d)
{
    return d.kind == kind::reentrant || s.has(field::owner);
}

bool is_owned_kind(kind k)
{
    return k != kind::mutex && k != kind::multi && k != kind::red;
}

bool overlap(core::instant a, core::instant b, core::instant from, core::instant to)
{
    return a <= to && from <= b;
}

bool is_instant(step const& s)
{
    return s.what == verb::try_acquire || s.has(field::wait);
}

std::string milliseconds_of(core::duration d)
{
    return std::to_string(std::chrono::duration<double, std::milli>(d).count()) + " ms";
}

}  // namespace

// ---- who may hold

// By owner, re-entry is no conflict: all that the two have in common can be entered again.
bool model::same_owner(activity const& a, activity const& b) const
{
    auto const& x = a.what;
    auto const& y = b.what;
    if (x.get(field::process) != y.get(field::process) || x.get(field::owner) != y.get(field::owner))
        return false;
    bool is_common = false, is_owned = true;
    for_each_part(*a.design, [&](lock_design const& p) {
        for_each_part(*b.design, [&](lock_design const& q) {
            if (p.server != q.server || p.key != q.key)
                return;
            is_common = true;
            is_owned = is_owned && is_owned_kind(p.kind) && has_owner(x, p) && has_owner(y, q);
        });
    });
    return is_common && is_owned;
}

bool model::conflicts(activity const& a, activity const& b) const
{
    for (auto const& x : a.claims)
        for (auto const& y : b.claims)
            if (x.thing == y.thing && !(x.shared && y.shared))
                return true;
    return false;
}

void model::check_exclusion(hold const& h, core::instant now)
{
    auto const& mine = activities_.at(h.operation);
    for (auto const& [id, other] : holds_) {
        auto const& theirs = activities_.at(other.operation);
        if (h.tainted || other.tainted || !other.is_valid || !conflicts(mine, theirs) || same_owner(mine, theirs))
            continue;
        report(
            "exclusion",
            "two valid leases at once: " + to_text(mine.what) + ", granted at "
                + milliseconds_of(now.time_since_epoch()) + ", and " + to_text(theirs.what));
    }
}

// Fencing tokens grow, but for re-entries, which have that of the grant.
void model::check_order(operation const& o, lease_view const& l)
{
    auto const& d = *o.design;
    bool const wanted = d.fencing && d.kind != kind::read && d.kind != kind::multi;
    require(l.token.has_value() == wanted, "fencing_token", o, wanted ? "no fencing token" : "a fencing token");
    if (!l.token)
        return;
    auto& [greatest, whose] = greatest_token_[o.what.get(field::lock)];
    bool const is_reentry = *l.token == greatest && whose.get(field::owner) == o.what.get(field::owner)
                            && whose.get(field::process) == o.what.get(field::process) && has_owner(o.what, d);
    bool const lost_counter = loses_data(d, core::instant::min(), core::never);
    require(
        is_reentry || lost_counter || *l.token > greatest,
        "fencing_tokens_grow",
        o,
        "a token that is not greater than an earlier one");
    if (*l.token >= greatest)
        greatest = *l.token, whose = o.what;
}

// ---- how long a lease is valid

void model::look(int id, core::instant now, lease_view const& l)
{
    auto const found = holds_.find(id);
    if (found == holds_.end())
        return;
    auto& h = found->second;
    auto const& a = activities_.at(h.operation);
    auto const tell = [&](std::string_view check, std::string const& text) {
        report(check, to_text(a.what) + ": " + text);
    };
    if (l.is_valid() && !h.is_valid)
        tell("a_loss_is_final", "a lease that was lost is valid again");
    h.is_valid = l.is_valid();
    if (!h.is_valid)
        activities_.at(h.operation).is_held = false;
    if (l.state == lease_state::empty && a.downgrades > 0)
        return;
    if (l.state == lease_state::empty)
        tell("a_held_lease_is_not_empty", "a lease that nobody gave up is empty");
    if (l.is_valid()) {
        check_hold_count(h, l);
        check_bounds(h, now, l);
    }
    bool const calm = !h.tainted && !is_disturbed(*a.design, a.what.get(field::process), a.launched, now);
    if (!calm)
        return;
    if (!l.is_valid() && now < h.promised - stop_margin(h.period) - slack)
        tell("valid_as_long_as_promised", "lost " + milliseconds_of(now - h.granted) + " after its grant");
    if (l.state == lease_state::at_risk && !is_brief(a.what))
        tell("at_risk_needs_a_fault", "at risk without a fault");
}

// One, and one more for each re-entry by its owner. Composites have owners only in their members.
void model::check_hold_count(hold const& h, lease_view const& l)
{
    auto const& a = activities_.at(h.operation);
    auto const owned = is_owned_kind(a.design->kind) && has_owner(a.what, *a.design);
    if (l.hold_count == 0 || (!owned && l.hold_count != 1))
        report("hold_count", to_text(a.what) + ": it is counted " + std::to_string(l.hold_count) + " times");
}

bool model::shares_grant(activity const& a, activity const& b) const
{
    bool const readers = a.design->kind == kind::read && a.design == b.design
                         && a.what.get(field::process) == b.what.get(field::process);
    return &a == &b || readers || same_owner(a, b);
}

core::duration model::confirmed_lease(hold const& h, core::duration lease) const
{
    for_each_part(*activities_.at(h.operation).design, [&](lock_design const& part) {
        if (part.kind == kind::read && part.peer_watchdog > 0)
            lease = std::min<core::duration>(lease, std::chrono::milliseconds(part.peer_watchdog));
    });
    return lease;
}

void model::check_bounds(hold& h, core::instant now, lease_view const& l)
{
    auto const& a = activities_.at(h.operation);
    auto const tell = [&](std::string_view check, core::duration left, core::duration bound) {
        report(
            check,
            to_text(a.what) + ": " + milliseconds_of(now - h.granted) + " after its grant it is valid for "
                + milliseconds_of(left) + ", bound: " + milliseconds_of(bound));
    };
    auto most = h.renewed ? std::max(now + h.period - core_drift(h.period), h.allowed) : h.allowed;
    for (auto const* e : extensions_)
        if (shares_grant(a, activities_.at(e->of_acquire)))
            most = std::max(
                most,
                now
                    + std::min<core::duration>(
                        longest,
                        std::chrono::milliseconds(std::min<std::int64_t>(e->what.get(field::by), longest / 1ms))));
    if (h.max_hold > 0ns)
        most = std::min(most, h.granted + h.max_hold);
    if (now + l.left_least > most + 1ms)
        tell(h.max_hold > 0ns ? "max_hold_ends_a_lease" : "valid_for_no_longer_than_allowed", l.left_least, most - now);
    bool const calm = !h.tainted && !is_disturbed(*a.design, a.what.get(field::process), a.launched, now);
    if (!calm)
        return;
    auto const lease = confirmed_lease(h, h.lease);
    bool const confirmed_now_and_then = h.renewed || lease < h.lease;
    auto const least = confirmed_now_and_then
                           ? std::min(h.promised - now, lease / 2 - core_drift(lease) - slack - settings_.tolerance)
                           : h.promised - now;
    if (now + l.left_most < std::min(h.promised, now + least))
        tell("valid_for_as_long_as_promised", l.left_most, least);
}

bool model::is_watch_overdue(operation const& o, core::instant now) const
{
    auto const* h = find_hold(o.of_hold);
    for (auto const& [p, i] : process_disturbed_)
        if ((p == o.what.get(field::process) || p == o.runs_in) && overlap(i.from, i.to, o.launched, now))
            return false;
    bool const is_exact = settings_.tolerance == 0ns;
    return h && is_exact && !o.done && !h->is_valid && !h->is_out_of_sight && now > o.launched + 1ms;
}

// ---- which verdicts are possible

// The time by which an operation has to be complete.
void model::check_deadline(operation const& o, core::instant now)
{
    auto const process = o.what.get(field::process);
    for (auto const& [p, i] : process_disturbed_)
        if ((p == process || p == o.runs_in) && overlap(i.from, i.to, o.launched, now))
            return;
    auto end = core::never;
    if (o.what.what == verb::try_acquire) {
        auto const wait = o.what.get(field::wait, 0);
        if (wait <= 0)
            end = o.launched + settings_.command_timeout;
        else if (wait < 1'000'000'000)
            end = o.launched + std::chrono::milliseconds(wait);
    } else if (
        o.what.what == verb::is_locked || o.what.what == verb::holders || o.what.what == verb::force_release
        || o.what.what == verb::extend || o.what.what == verb::release)
        end = o.launched + settings_.command_timeout;
    require(
        now <= end || now - end <= 2ms + settings_.tolerance,
        "ends_in_time",
        o,
        "too late by " + milliseconds_of(now - end));
}

bool model::is_valid_option(operation const& o, bool& undecided) const
{
    auto const& s = o.what;
    auto const& d = *o.design;
    for (auto const f : {field::lease, field::max_hold, field::wait})
        undecided = undecided || s.get(f) > longest / 1ms;
    bool const fair = d.kind == kind::fair;
    bool in_red = false;
    if (d.kind == kind::red || d.key.empty())
        in_red = s.has(field::lease);  // max_lease and node_timeout bound it
    undecided = undecided || in_red;
    if (s.has(field::lease) && s.get(field::lease) < 100)
        return undecided = false;
    if (s.get(field::max_hold) < 0 || s.get(field::wait) < 0)
        return undecided = false;
    if (fair && (s.get(field::priority, 5) < 1 || s.get(field::priority, 5) > 10))
        return undecided = false;
    return true;
}

bool model::is_disturbed(lock_design const& d, std::int64_t process, core::instant from, core::instant to) const
{
    for (auto const& [p, i] : process_disturbed_)
        if (p == process && overlap(i.from, i.to, from, to))
            return true;
    bool found = false;
    for_each_part(d, [&](lock_design const& part) {
        auto const stopped = stopped_.find({process, part.server});
        found = found || (stopped != stopped_.end() && stopped->second <= to);
        for (auto const& i : disturbed_)
            found = found || (i.server == part.server && overlap(i.from, i.to, from, to));
    });
    return found;
}

bool model::loses_data(lock_design const& d, core::instant from, core::instant to) const
{
    bool found = false;
    for_each_part(d, [&](lock_design const& part) {
        for (auto const& l : losses_)
            found = found
                    || (l.server == part.server && (l.key.empty() || l.key == part.key)
                        && overlap(l.from, l.to, from, to));
    });
    return found;
}

bool model::is_stopped(operation const& o, core::instant now) const
{
    bool found = false;
    if (o.design)
        for_each_part(*o.design, [&](lock_design const& part) {
            auto const at = stopped_.find({o.what.get(field::process), part.server});
            found = found || (at != stopped_.end() && at->second <= now);
        });
    return found;
}

bool model::may_fail(operation const& o, core::instant now, error_code ec) const
{
    auto const v = o.what.what;
    bool const of_lease = v == verb::release || v == verb::extend || v == verb::lost || v == verb::downgrade;
    bool const acquires = v == verb::acquire || v == verb::try_acquire || v == verb::with_lock;
    auto const process = o.what.get(field::process);
    auto const* h = find_hold(o.of_hold);
    if (ec == errc::client_stopped)
        return is_stopped(o, now);
    if (ec == errc::empty_lease)
        return of_lease && (o.of_hold == 0 || !h || o.was_kept);
    if (ec == errc::invalid_option && v == verb::extend && o.what.get(field::by) <= 0)
        return true;
    if (!o.design)  // of a lease that was given up before the launch
        return of_lease && o.of_hold != 0 && (ec == errc::lease_lost || ec == errc::released);
    bool const red = o.design->kind == kind::red || o.design->name.starts_with("multi_red");
    bool const disturbed = is_disturbed(*o.design, process, o.launched, now);
    if (ec == errc::unavailable || (ec == errc::no_quorum && red)) {
        if (v == verb::lost || (ec == errc::unavailable && o.design->kind == kind::red && acquires))
            return false;
        auto const wait = o.what.get(field::wait, 0);
        bool const hasty = is_instant(o.what) && wait > 0
                           && std::chrono::milliseconds(wait) < answer_time + settings_.tolerance;
        return disturbed || hasty || (acquires && is_brief(o.what));
    }
    if (ec == errc::not_permitted)
        return v != verb::lost && denied_ <= now;
    if (ec == errc::server_refused)
        return v != verb::lost && refused_ <= now;
    if (ec == errc::invalid_option) {
        bool undecided = false;
        if (acquires)
            return !is_valid_option(o, undecided) || undecided || o.design->name == "multi_red_own";
        if (v == verb::extend)
            return o.what.get(field::by) <= 0 || o.what.get(field::by) > longest / 1ms || o.is_limited;
        return v == verb::downgrade;
    }
    if (ec == errc::wrong_type) {
        bool planted = false;
        for_each_part(*o.design, [&](lock_design const& part) {
            for (auto const& [d, when] : planted_)
                planted = planted || (d->server == part.server && d->key == part.key && when <= now);
        });
        return planted && !(v == verb::release || v == verb::lost);
    }
    if (ec == errc::lease_lost) {
        // A write that was given up meanwhile; a lease that was invalid, or may have been.
        bool const was_valid = o.state == lease_state::held;
        return (of_lease
                && (!h || activities_.at(h->operation).downgrades > 0 || !h->is_valid || h->tainted || !was_valid
                    || disturbed || o.was_kept || h->promised < now + 100ms))
               || v == verb::with_lock;
    }
    if (ec == errc::released)
        return v == verb::lost && (!h || activities_.at(h->operation).downgrades > 0);
    if (ec == errc::busy)
        return v == verb::with_lock && o.what.has(field::wait);
    if (ec == errc::would_deadlock || ec == errc::owner_in_use) {
        for (auto const& [id, a] : activities_) {
            bool const same = id != o.id && a.what.get(field::process) == process
                              && a.what.get(field::owner) == o.what.get(field::owner);
            if (acquires && same && overlap(a.launched, a.over, o.launched, now))
                return true;
        }
        return false;
    }
    return false;
}

// Every server that could have told who holds it was silent all the time.
bool model::is_total_outage(operation const& o, core::instant now) const
{
    unsigned servers = 0, silent = 0;
    for_each_part(*o.design, [&](lock_design const& part) {
        ++servers;
        silent += std::ranges::any_of(disturbed_, [&](interval const& i) {
            return i.is_outage && i.server == part.server && i.from + 5ms <= o.launched
                   && now + recovery + settings_.tolerance < i.to;
        });
    });
    return silent == servers;
}

bool model::may_be_busy(operation const& o, core::instant now) const
{
    auto const& mine = activities_.at(o.id);
    auto const process = o.what.get(field::process);
    bool const outage = is_total_outage(o, now);
    bool planted = false;
    for_each_part(*o.design, [&](lock_design const& part) {
        for (auto const& [d, when] : planted_)
            planted = planted || (d->server == part.server && d->key == part.key);
    });
    if (planted && !outage)
        return true;
    for (auto const& [id, a] : activities_) {
        if (id == o.id || !overlap(a.launched, a.over, o.launched, now))
            continue;
        bool shares = conflicts(mine, a);
        for_each_part(*o.design, [&](lock_design const& x) {
            for_each_part(
                *a.design, [&](lock_design const& y) { shares = shares || (x.server == y.server && x.key == y.key); });
        });
        // Readers let each other in, unless a writer waits: then that is another reason.
        bool const readers = o.design->kind == kind::read && a.design->kind == kind::read;
        bool const upgrades = o.design->kind == kind::write && a.design->kind == kind::read;
        bool const reenters = same_owner(mine, a) && a.is_held && a.held_since <= o.launched && !upgrades;
        bool const is_local = a.what.get(field::process) == process;
        if (shares && !readers && !reenters && (!outage || is_local))
            return true;
    }
    return false;
}

}  // namespace holdfast::test::oracle
