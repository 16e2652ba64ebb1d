//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// How an operation may end: by when, and with which errors of its closed list.

#include <algorithm>

#include "oracle/model.hpp"
#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

bool is_query(verb v)
{
    return v == verb::is_locked || v == verb::holders || v == verb::force_release;
}

// Whether a red_lock and one of its own members are both members of the multi_lock.
bool contradicts_itself(lock_design const& d)
{
    return d.name == "multi_red_own";
}

bool is_within(std::int64_t value, std::int64_t least, std::int64_t most)
{
    return least <= value && value <= most;
}

// red_lock.hpp: at most max_lease; semaphore.hpp: at most 12 h. In milliseconds.
std::int64_t longest_lease(lock_design const& d, core::duration max_lease)
{
    if (is_red(d))
        return max_lease / 1ms;
    return d.kind == kind::semaphore ? 12h / 1ms : endless;
}

bool may_stay_taken(step const& s, lock_design const& d)
{
    if (!s.has(field::at_least))
        return true;
    auto const most = s.get(field::max_hold) > 0 ? std::min<std::int64_t>(s.get(field::max_hold), 12h / 1ms)
                                                 : 12h / 1ms;
    return can_stay_taken(d.kind) && is_within(s.get(field::at_least), 1, most);
}

bool is_on_latch(verb v)
{
    return v == verb::set_latch || v == verb::count_down || v == verb::count || v == verb::remove_latch;
}

}  // namespace

// ---- by when

void model::check_deadline(operation const& o, core::instant now)
{
    auto const process = o.what.get(field::process);
    for (auto const& [p, i] : process_disturbed_)
        if ((p == process || p == o.runs_in) && overlap(i.from, i.to, o.launched, now))
            return;
    auto const v = o.what.what;
    auto end = core::never;
    if (v == verb::await_latch && o.what.has(field::wait))
        end = o.launched + std::max(milliseconds_of(o.what, field::wait), settings_.command_timeout);
    else if (v == verb::try_acquire && o.what.get(field::wait, 0) > 0)
        end = o.launched + milliseconds_of(o.what, field::wait);
    else if (v == verb::try_acquire || is_query(v) || is_on_latch(v) || v == verb::extend || v == verb::release)
        end = o.launched + settings_.command_timeout;
    auto const late = 2ms + settings_.tolerance
                      + (is_query(v) || is_on_latch(v) || v == verb::extend ? settings_.redirects : core::duration())
                      + (v == verb::extend ? settings_.acknowledgements : core::duration());
    require(now <= end || now - end <= late, "ends_in_time", o, "too late by " + to_milliseconds(now - end));
}

// ---- with which errors

bool model::may_fail(operation const& o, core::instant now, error_code ec) const
{
    if (ec != make_error_code(static_cast<errc>(ec.value())))
        return false;
    auto const v = o.what.what;
    switch (static_cast<errc>(ec.value())) {
        case errc::unavailable:
            if (v == verb::await_latch && !o.what.has(field::wait))
                return false;
            [[fallthrough]];
        case errc::no_quorum: return may_be_out_of_reach(o, now, ec);
        case errc::lease_lost: return v == verb::with_lock || (is_on_lease(v) && may_be_lost(o, now));
        case errc::released: return v == verb::lost && may_be_given_up(o);
        case errc::client_stopped: return is_stopped(o, now);
        case errc::wrong_type: return may_be_of_wrong_type(o, now);
        case errc::not_permitted: return v != verb::lost && denied_ <= now;
        case errc::server_refused: return v != verb::lost && refused_ <= now;
        case errc::would_deadlock: return may_deadlock(o, now);
        case errc::busy: return v == verb::with_lock && o.what.has(field::wait);
        case errc::empty_lease: return is_on_lease(v) && (o.of_hold == 0 || o.was_kept || may_be_given_up(o));
        case errc::invalid_option: return o.design && (!has_valid_options(o, now) || asks_for_too_many(o));
        case errc::latch_removed: return v == verb::await_latch && latches_.at(o.design->key).may_be_removed();
        case errc::owner_in_use: return may_share_its_owner(o, now);
        default: return false;
    }
}

// Whether its lease was released, destroyed or downgraded by now.
bool model::may_be_given_up(operation const& o) const
{
    if (o.of_hold == 0)
        return false;
    auto const* h = find_hold(o.of_hold);
    bool const downgrades = o.what.what == verb::downgrade;
    return !h || activities_.at(h->operation).downgrades > unsigned(downgrades);
}

// Operations that send no command never end as unavailable. A red_lock ends as no_quorum instead.
bool model::may_be_out_of_reach(operation const& o, core::instant now, error_code ec) const
{
    auto const v = o.what.what;
    if (!o.design || v == verb::lost)
        return false;
    bool const acquires = !is_query(v) && !is_on_lease(v);
    if (ec == errc::no_quorum ? !is_red(*o.design) : acquires && o.design->kind == kind::red)
        return false;
    // A downgrade yields no read if the write was deleted and another client holds the lock.
    if (auto const* h = find_hold(o.of_hold); v == verb::downgrade && h && h->tainted)
        return true;
    // An attempt on several locks fails if a member's key is lost before the last member is granted, even one that was
    // held before.
    if (acquires && o.design->kind == kind::multi && loses_data(*o.design, core::instant::min(), now))
        return true;
    return (ec == errc::no_quorum && may_end_without_a_round(o, now)) || may_be_too_late(o)
           || is_disturbed(*o.design, o.what.get(field::process), o.launched, now);
}

// A late thread misses the end of a short lease time, of a short wait, or of a red_lock's node_timeout.
bool model::may_be_too_late(operation const& o) const
{
    bool const acquires = !is_query(o.what.what) && !is_on_lease(o.what.what);
    return settings_.tolerance > 0ns
           && (is_red(*o.design) || (acquires && is_brief(o.what)) || is_hasty(o.what, settings_.tolerance));
}

// red_lock.hpp: an acquire whose time ends while it waits, also for the rounds of another acquire, ends as no_quorum
// unless a majority answered in its last round. A round whose keys are deleted has no majority either.
bool model::may_end_without_a_round(operation const& o, core::instant now) const
{
    bool const queues = std::ranges::any_of(activities_, [&](auto const& entry) {
        auto const& [id, other] = entry;
        return id != o.id && other.what.get(field::process) == o.what.get(field::process) && is_red(*other.design)
               && have_common_part(*o.design, *other.design) && overlap(other.launched, other.over, o.launched, now);
    });
    return is_hasty(o.what, queues ? longest : slack + settings_.tolerance) || loses_data(*o.design, o.launched, now);
}

// Whether the operation's lease was given up, was invalid, or may have been lost.
bool model::may_be_lost(operation const& o, core::instant now) const
{
    auto const* h = find_hold(o.of_hold);
    if (o.of_hold == 0)
        return false;
    if (may_be_given_up(o) || o.was_kept || o.state != lease_state::held)
        return true;
    return !h->is_valid || h->tainted || h->promised < now + 100ms
           || is_disturbed(*o.design, o.what.get(field::process), o.launched, now);
}

bool model::may_be_of_wrong_type(operation const& o, core::instant now) const
{
    if (!o.design || o.what.what == verb::release || o.what.what == verb::lost)
        return false;
    return has_planted(*o.design, now);
}

bool model::has_planted(lock_design const& d, core::instant now) const
{
    bool found = false;
    for_each_part(d, [&](lock_design const& part) {
        for (auto const& [other, when] : planted_)
            found = found || (other->server == part.server && other->key == part.key && when <= now);
    });
    return found;
}

// Whether another acquire of the same owner overlaps this one, from its launch until nothing of it is left.
template <class Condition>
bool model::meets_own(operation const& o, core::instant now, Condition is_wanted) const
{
    if (!activities_.contains(o.id))
        return false;
    auto const& mine = activities_.at(o.id);
    return std::ranges::any_of(activities_, [&](auto const& entry) {
        auto const& [id, other] = entry;
        return id != o.id && overlap(other.launched, other.over, o.launched, now) && share_an_owner(mine, other)
               && is_wanted(other);
    });
}

bool model::may_deadlock(operation const& o, core::instant now) const
{
    auto const has = [](activity const& a, kind k) {
        bool found = false;
        for_each_part(*a.design, [&](lock_design const& part) { found = found || part.kind == k; });
        return found;
    };
    auto const reads = [&](activity const& other) { return has(other, kind::read) || other.downgrades > 0; };
    return o.design && meets_own(o, now, reads) && has(activities_.at(o.id), kind::write);
}

// The tasks of one process share its one owner on purpose.
bool model::may_share_its_owner(operation const& o, core::instant now) const
{
    return o.what.get(field::owner) != process_owner && meets_own(o, now, [](activity const&) { return true; });
}

// ---- options

bool model::has_valid_options(operation const& o, core::instant now) const
{
    if (contradicts_itself(*o.design))
        return false;
    switch (o.what.what) {
        case verb::extend: return may_extend(o, now);
        case verb::downgrade: return o.design->kind == kind::write;
        case verb::set_latch: return o.what.get(field::count) > 0;
        case verb::count_down: return o.what.get(field::by, 1) > 0;
        case verb::await_latch: return o.what.get(field::wait) >= 0;
        case verb::acquire:
        case verb::try_acquire:
        case verb::with_lock: return may_acquire(o);
        default: return true;
    }
}

bool model::may_acquire(operation const& o) const
{
    auto const& s = o.what;
    auto const most = longest_lease(*o.design, settings_.lease);
    bool const has_priority = o.design->kind == kind::fair || o.design->kind == kind::election;
    auto const most_permits = o.design->fencing ? 1 : 4'095;
    if (o.design->kind == kind::semaphore && !is_within(s.get(field::weight, 1), 1, most_permits))
        return false;
    if (!may_stay_taken(s, *o.design))
        return false;
    return is_within(s.get(field::lease, 100), 100, most) && s.get(field::max_hold) >= 0 && s.get(field::wait) >= 0
           && (!has_priority || is_within(s.get(field::priority, 5), 1, 10));
}

// Only the server knows it: the wait may be over before. Permits of holders that the server has lost are missing from then
// on (docs/semaphore.md).
bool model::asks_for_too_many(operation const& o) const
{
    return o.design->kind == kind::semaphore
           && (o.what.get(field::weight, 1) > o.design->permits
               || (has_lost_a_part_ && loses_data(*o.design, core::instant::min(), core::never)));
}

// An extension must not exceed max_lease, nor the rest of max_hold.
bool model::may_extend(operation const& o, core::instant now) const
{
    auto const by = milliseconds_of(o.what, field::by);
    auto const* h = find_hold(o.of_hold);
    bool const is_limited = h ? h->max_hold > 0ns && now + by > h->granted + h->max_hold - slack : o.is_limited;
    return by > 0ns && !is_limited && by / 1ms <= longest_lease(*o.design, settings_.lease);
}

// ---- faults

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

bool model::had_faults() const noexcept
{
    return !disturbed_.empty() || !losses_.empty() || std::ranges::any_of(process_disturbed_, [](auto const& entry) {
        return entry.second.to - entry.second.from >= recovery;
    });
}

bool model::has_kept_permits() const
{
    return std::ranges::any_of(reservations_, [this](reservation const& r) {
        return activities_.at(r.operation).design->kind == kind::semaphore;
    });
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

// Whether every server of the lock was silent during the whole operation.
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

// ---- busy

// The time for which the server may have left a command unanswered at the end without counting as silent. A frozen
// process receives no answer.
core::duration model::time_to_answer(operation const& o, core::instant now) const
{
    auto const process = o.what.get(field::process);
    auto const is_freeze = [&](auto const& entry) {
        auto const& [p, i] = entry;
        return p == process && i.to - i.from >= recovery && overlap(i.from, i.to, o.launched, now);
    };
    if (std::ranges::any_of(process_disturbed_, is_freeze))
        return longest;
    return (is_disturbed(*o.design, process, o.launched, now) ? overdue_time : answer_time) + settings_.tolerance
           + settings_.acknowledgements;
}

bool model::may_be_busy(operation const& o, core::instant now) const
{
    auto const& mine = activities_.at(o.id);
    bool const outage = is_total_outage(o, now);
    if (is_hasty(o.what, time_to_answer(o, now)) || (has_planted(*o.design, now) && !outage))
        return true;
    if (o.design->kind == kind::semaphore)
        return may_lack_permits(o, now, outage);
    return std::ranges::any_of(activities_, [&](auto const& entry) {
        auto const& [id, other] = entry;
        bool const is_local = other.what.get(field::process) == o.what.get(field::process);
        return id != o.id && overlap(other.launched, other.over, o.launched, now) && (!outage || is_local)
               && is_in_the_way(mine, other);
    });
}

// Whether all that may have permits of the semaphore during the operation, or wait for some before it, leave too few.
// In an outage, a contender that waits in the same process says enough: it was refused before.
bool model::may_lack_permits(operation const& o, core::instant now, bool outage) const
{
    std::uint64_t sum = 0;
    bool is_behind = false;
    for (auto const& [id, other] : activities_) {
        bool const is_local = other.what.get(field::process) == o.what.get(field::process);
        if (other.design != o.design || !overlap(other.launched, other.over, o.launched, now) || (outage && !is_local))
            continue;
        sum += weight_of(other);
        is_behind = is_behind || (id != o.id && !other.is_held);
    }
    // docs/semaphore.md: if the numbers were deleted, nothing is granted until the leases that had them are gone. Neither
    // while a permit has no number yet: a script that is denied a command leaves it until the client has released it.
    bool const may_be_denied = denied_ <= now && is_disturbed(*o.design, o.what.get(field::process), o.launched, now);
    bool const lacks_numbers = o.design->fencing
                               && (may_be_denied
                                   || (has_lost_a_part_ && loses_data(*o.design, core::instant::min(), core::never)));
    return sum > o.design->permits || (outage && is_behind) || lacks_numbers;
}

// Readers do not exclude each other unless a writer waits, which is a reason of its own. For readers of the same
// process the model knows which of them hold.
bool model::is_in_the_way(activity const& mine, activity const& other) const
{
    bool const is_local = mine.what.get(field::process) == other.what.get(field::process);
    bool const readers = mine.design->kind == kind::read && other.design->kind == kind::read
                         && (!is_local || other.held_since < core::never);
    bool const upgrades = mine.design->kind == kind::write && other.design->kind == kind::read;
    bool const reenters = same_owner(mine, other) && other.is_held && other.held_since <= mine.launched && !upgrades;
    return have_common_part(*mine.design, *other.design) && !readers && !reenters;
}

}  // namespace holdfast::test::oracle
