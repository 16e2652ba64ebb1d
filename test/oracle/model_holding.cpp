//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What is allowed: which acquires may hold at once, and how long a lease is valid.

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

}  // namespace

// ---- which acquires may hold at once

// A re-entry of the same owner is no conflict: the owner can re-enter everything that both locks share.
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

// Returns a hold of the same owner that covers the whole lock: re-entering it waits for no other owner.
int model::hold_to_enter(activity const& a) const
{
    auto const covers = [&](lock_design const& whole) {
        bool all = true;
        for_each_part(*a.design, [&](lock_design const& p) { all = all && have_common_part(p, whole); });
        return all;
    };
    for (auto const& [id, h] : holds_) {
        auto const& held = activities_.at(h.operation);
        bool const upgrades = a.design->kind == kind::write && held.design->kind == kind::read;
        // A majority of a red_lock's members may be granted without the re-entered one.
        bool const is_held = held.design == a.design || !is_red(*held.design);
        if (is_held && h.is_valid && !h.tainted && !upgrades && same_owner(a, held) && covers(*held.design))
            return id;
    }
    return 0;
}

// Checks, before a hold ends, that no re-entry of its owner waited.
void model::check_reentries(hold const& h, core::instant now)
{
    for (auto const& o : operations_)
        if (!o.done && o.enters == h.id && !h.tainted && h.is_valid)
            require(
                now - o.launched < longest_reentry + settings_.tolerance
                    || is_disturbed(*o.design, o.what.get(field::process), o.launched, now),
                "a_reentry_does_not_wait",
                o,
                "waits, although its owner holds the lock");
}

// Whether both have some lock with the same owner in common.
bool model::share_an_owner(activity const& a, activity const& b) const
{
    auto const& x = a.what;
    auto const& y = b.what;
    bool const same = x.get(field::process) == y.get(field::process) && x.get(field::owner) == y.get(field::owner);
    bool found = false;
    for_each_part(*a.design, [&](lock_design const& p) {
        for_each_part(*b.design, [&](lock_design const& q) {
            bool const is_common = p.server == q.server && p.key == q.key;
            found = found || (is_common && is_owned_kind(p.kind) && has_owner(x, p) && has_owner(y, q));
        });
    });
    return same && found;
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
    if (mine.design->kind == kind::semaphore)
        return check_permits(h, now);
    for (auto const& r : reservations_)
        if (is_reserved(r, h, now))
            report(
                "at_least_keeps_a_lock_taken",
                to_text(mine.what) + ", granted at " + to_milliseconds(now.time_since_epoch()) + ", although "
                    + to_text(activities_.at(r.operation).what) + " keeps it taken until "
                    + to_milliseconds(r.until.time_since_epoch()));
    for (auto const& [id, other] : holds_) {
        auto const& theirs = activities_.at(other.operation);
        if (h.tainted || other.tainted || !other.is_valid || !conflicts(mine, theirs) || same_owner(mine, theirs))
            continue;
        report(
            "exclusion",
            "two valid leases at once: " + to_text(mine.what) + ", granted at "
                + to_milliseconds(now.time_since_epoch()) + ", and " + to_text(theirs.what));
    }
}

// From its grant on: from the launch of the acquire at the earliest, and without a fault at most `slack` before the
// program got the lease.
void model::reserve(operation const& o, hold const& h, core::instant now)
{
    bool const is_exact = settings_.tolerance == 0ns
                          && !is_disturbed(*o.design, o.what.get(field::process), o.launched, now);
    auto const granted = is_exact ? std::max(o.launched, now - slack) : o.launched;
    reservations_.push_back({o.id, granted + milliseconds_of(o.what, field::at_least), h.tainted});
}

// Whether the lock of a new hold must still be taken by an acquire that has released it or lost it.
bool model::is_reserved(reservation const& r, hold const& h, core::instant now) const
{
    auto const& mine = activities_.at(h.operation);
    auto const& other = activities_.at(r.operation);
    if (now >= r.until || r.is_doubtful || r.operation == h.operation || h.tainted || !conflicts(mine, other))
        return false;
    bool const is_reentry = same_owner(mine, other) && may_reenter(mine, h.operation);
    return !is_reentry && !loses_data(*other.design, other.launched, now);
}

// Whether its owner held the lock when it was launched, or later.
bool model::may_reenter(activity const& mine, int operation) const
{
    return std::ranges::any_of(activities_, [&](auto const& entry) {
        auto const& [id, other] = entry;
        return id != operation && other.held_since != core::never && other.held_until >= mine.launched
               && same_owner(mine, other);
    });
}

// The weights of the valid leases of a semaphore, and of those that were released and stay taken, add up to at most the
// number of permits.
void model::check_permits(hold const& h, core::instant now)
{
    auto const& mine = activities_.at(h.operation);
    auto sum = weight_of(mine);
    std::set<int> counted{h.operation};
    for (auto const& [id, other] : holds_) {
        auto const& theirs = activities_.at(other.operation);
        if (theirs.design == mine.design && other.is_valid && !other.tainted && counted.insert(other.operation).second)
            sum += weight_of(theirs);
    }
    for (auto const& r : reservations_)
        if (is_reserved(r, h, now) && counted.insert(r.operation).second)
            sum += weight_of(activities_.at(r.operation));
    if (!h.tainted && sum > mine.design->permits)
        report(
            "no_more_than_all_permits",
            std::to_string(sum) + " of " + std::to_string(mine.design->permits) + " permits: " + to_text(mine.what));
}

// Fencing tokens grow, except those of re-entries, which have the token of the grant. Those of a semaphore differ: of
// two that are granted one after the other, the second may be observed first.
void model::check_order(operation const& o, lease_view const& l)
{
    auto const& d = *o.design;
    bool const wanted = d.fencing && d.kind != kind::read && d.kind != kind::multi;
    require(l.token.has_value() == wanted, "fencing_token", o, wanted ? "no fencing token" : "a fencing token");
    if (!l.token)
        return;
    if (d.kind == kind::semaphore)
        return require(
            tokens_.insert({d.name, *l.token}).second || loses_data(d, core::instant::min(), core::never),
            "fencing_tokens_differ",
            o,
            "a token that another lease had");
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

void model::check(int id, core::instant now, lease_view const& l)
{
    auto const found = holds_.find(id);
    if (found == holds_.end())
        return;
    auto& h = found->second;
    auto const& a = activities_.at(h.operation);
    auto const check_failed = [&](std::string_view check, std::string const& text) {
        report(check, to_text(a.what) + ": " + text);
    };
    if (l.is_valid() && !h.is_valid)
        check_failed("a_loss_is_final", "a lease that was lost is valid again");
    h.is_valid = l.is_valid();
    if (!h.is_valid)
        activities_.at(h.operation).is_held = false;
    if (l.state == lease_state::empty && a.downgrades > 0)
        return;
    if (l.state == lease_state::empty)
        check_failed("a_held_lease_is_not_empty", "a lease that nobody gave up is empty");
    if (l.is_valid()) {
        check_identity(h, l);
        check_hold_count(h, now, l);
        check_bounds(h, now, l);
    }
    auto const is_calm_since = [&](core::instant from) {
        return !h.tainted && !is_disturbed(*a.design, a.what.get(field::process), from, now);
    };
    if (!is_calm_since(a.launched))
        return;
    if (!l.is_valid() && now < h.promised - stop_margin(h.period) - slack)
        check_failed("valid_as_long_as_promised", "lost " + to_milliseconds(now - h.granted) + " after its grant");
    // An acquire may join a grant that is at risk, and is renewed again a sixth of its lease time later.
    if (l.state == lease_state::at_risk && !is_brief(a.what) && is_calm_since(h.shared_since))
        check_failed("at_risk_needs_a_fault", "at risk without a fault");
}

// Composites have owners only in their members.
void model::check_identity(hold const& h, lease_view const& l)
{
    auto const& a = activities_.at(h.operation);
    auto const owned = is_owned_kind(a.design->kind) && has_owner(a.what, *a.design);
    if (l.has_owner != owned)
        report("owner_of_a_lease", to_text(a.what) + (owned ? ": has no owner" : ": has an owner"));
    if (!is_composite(*a.design) && l.name != a.design->key)
        report("name_of_a_lease", to_text(a.what) + ": is called \"" + std::string(l.name) + "\"");
}

// The hold count is one plus the number of other leases of the owner that hold the lock: at least those that must be
// valid, at most those that may have been granted. Of several downgrades of one lease that are under way at a time, each
// may hold a read. Composites have owners only in their members.
void model::check_hold_count(hold const& h, core::instant now, lease_view const& l)
{
    auto const& a = activities_.at(h.operation);
    bool const owned = is_owned_kind(a.design->kind) && has_owner(a.what, *a.design);
    unsigned least = 1, most = 0;
    for (auto const& [id, other] : activities_)
        if (id == h.operation || (owned && other.over >= now && same_owner(a, other)))
            most += std::max(1U, other.downgrades);
    for (auto const& [id, other] : holds_) {
        auto const& theirs = activities_.at(other.operation);
        bool const is_not_lost = now < other.promised - stop_margin(other.period) - slack;
        bool const is_sure = other.is_valid && !other.tainted && is_not_lost && theirs.downgrades == 0
                             && !is_disturbed(*a.design, a.what.get(field::process), theirs.launched, now);
        least += owned && id != h.id && theirs.design == a.design && is_sure && same_owner(a, theirs);
    }
    if (l.hold_count < least || l.hold_count > most)
        report(
            "hold_count",
            to_text(a.what) + ": counted " + std::to_string(l.hold_count) + " times, expected " + std::to_string(least)
                + " to " + std::to_string(most));
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

core::instant model::requested_until(hold const& h, core::instant now) const
{
    auto end = core::instant::min();
    for (auto const& request : requests_)
        if (may_profit(h, request))
            end = std::max(end, now + request.lease);
    return end;
}

// A fixed lease time serves only its own hold. The grant of renewed holds may be shared and handed off within the
// process.
bool model::may_profit(hold const& h, lease_request const& request) const
{
    auto const& mine = activities_.at(h.operation);
    auto const& other = activities_.at(request.acquire);
    bool const is_local = mine.what.get(field::process) == other.what.get(field::process);
    return request.acquire == h.operation || (h.renewed && is_local && have_common_part(*mine.design, *other.design));
}

void model::check_bounds(hold& h, core::instant now, lease_view const& l)
{
    auto const& a = activities_.at(h.operation);
    auto const check_failed = [&](std::string_view check, core::duration left, core::duration bound) {
        report(
            check,
            to_text(a.what) + ": " + to_milliseconds(now - h.granted) + " after its grant it is valid for "
                + to_milliseconds(left) + ", bound: " + to_milliseconds(bound));
    };
    auto most = std::max(h.allowed, requested_until(h, now));
    if (h.renewed)
        most = std::max(most, now + h.period - core_drift(h.period));
    if (h.max_hold > 0ns)
        most = std::min(most, h.granted + h.max_hold);
    if (now + l.left_least > most + 1ms)
        check_failed(
            h.max_hold > 0ns ? "max_hold_ends_a_lease" : "valid_for_no_longer_than_allowed", l.left_least, most - now);
    bool const calm = !h.tainted && !is_disturbed(*a.design, a.what.get(field::process), a.launched, now);
    if (!calm)
        return;
    auto const lease = confirmed_lease(h, h.lease);
    bool const confirmed_now_and_then = h.renewed || lease < h.lease;
    auto const least = confirmed_now_and_then
                           ? std::min(h.promised - now, lease / 2 - core_drift(lease) - slack - settings_.tolerance)
                           : h.promised - now;
    if (now + l.left_most < std::min(h.promised, now + least))
        check_failed("valid_for_as_long_as_promised", l.left_most, least);
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

}  // namespace holdfast::test::oracle
