//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What must hold after a contest, and of each lease in it.

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "client/client_access.hpp"
#include "core/hash_slot.hpp"
#include "core/lock_name.hpp"
#include "engine/hold/grant.hpp"
#include "simulation/contest_run.hpp"
#include "support/tenure_of.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

void contest::audit()
{
    if (misses_a_right_)
        throw std::runtime_error("a client believes that it may not subscribe");
    if (cluster_ && options_.config.acknowledged_by == 0)
        excuse_failovers();
    if (options_.data_is_safe)
        if (auto const violation = find_violation(holds_))
            throw std::runtime_error(*violation);
    if (options_.data_is_safe && options_.at_least > 0ms)
        check_gaps();
    for (auto& p : participants_)
        if (!p.where->is_dead())
            audit_client(p);
    audit_waits();
    // The keys of a killed process expire when their lease time has ended, and so do those whose release was lost.
    if (options_.kill + options_.fail_overs > 0)
        simulation_.world().run_for(options_.config.lease + 30s);
    for (unsigned i = 0; i < options_.locks; ++i)
        audit_lock(i);
    // The place of a killed fair waiter is removed by the next contender, or when the queue's time to live ends.
    bool const is_fair = options_.kind == contested_kind::fair || options_.kind == contested_kind::fenced_fair;
    if (!is_fair || (options_.kill + options_.fail_overs == 0 && options_.data_is_safe))
        check_leftovers();
    for (auto& p : participants_)
        p.client->stop();
    simulation_.world().run();
}

void contest::audit_client(participant& p)
{
    auto const stats = p.client->stats();
    if (stats.held + stats.waiting > 0)
        throw std::runtime_error(
            "gauges: " + std::to_string(stats.held) + " held, " + std::to_string(stats.waiting) + " waiting");
    auto const ended = stats.acquired + stats.busy + stats.unavailable + stats.cancelled + stats.failed;
    if (ended != p.started)
        throw std::runtime_error(std::to_string(p.started) + " acquires, of which " + std::to_string(ended) + " ended");
    auto const left = detail::client_access::state_of(*p.client).count();
    if (left != engine::client_engine::census{})
        throw std::runtime_error(
            "left behind: " + std::to_string(left.arbiters) + " arbiters, " + std::to_string(left.deadlines)
            + " deadlines, " + std::to_string(left.channels) + " channels, " + std::to_string(left.releases)
            + " releases");
    result_.handed_off += stats.handed_off;
}

void contest::audit_waits() const
{
    // Between two writers, waiting readers have a turn of 20 ms.
    auto const turn = options_.kind == contested_kind::read_write ? core::duration(20ms) : core::duration::zero();
    auto const round_trips = 20 * options_.network.delay.most + turn;
    if (options_.is_prompt)
        check_promptness(core::instant::min(), round_trips);
    // A message may be lost in a change of the slots, so a waiter may be served by its next look; and a command is
    // postponed by half a second at most.
    if (options_.half_moves > 0 && !has_faults(options_))
        check_promptness(last_change_, options_.config.poll_interval * 5 / 4 + 600ms + round_trips);
}

void contest::audit_lock(unsigned lock)
{
    auto const name = lock_name(lock);
    if (server_of(lock).execute({"EXISTS", name}).integer != 0)
        throw std::runtime_error("the key of " + name + " is left");
    for (auto const* const prefix : {"redisson_lock__channel:{", "redisson_rwlock:{"})
        for_each_server([&](simulated_server& s) {
            auto const channel = prefix + name + "}";
            auto const receivers = s.model().publish(channel, "0") + s.model().publish_sharded(channel, "0");
            if (options_.kill == 0 && receivers != 0)
                throw std::runtime_error("a subscription for " + name + " is left");
        });
}

// Two kinds of hold may overlap with the next one of the same lock: one of which a failover has lost a write, and one
// that the former primary granted or renewed after the promotion, before the client knew its successor. Neither may do
// so for longer than until the next renewal: the silence of the former primary makes the client ask a seed or two, and
// the successor says that the key is gone. In the search of other overlaps such a hold ends with the promotion.
void contest::excuse_failovers()
{
    auto const bound = core::duration(options_.config.lease / 3 + 3s).count();
    for (auto const& f : cluster_->failovers()) {
        auto const promoted = f.promoted.time_since_epoch().count();
        for (std::size_t i = 0; i != holds_.size(); ++i) {
            auto& h = holds_[i];
            bool const is_lost = f.lost_writes && h.from < promoted;
            if (h.to <= promoted || !f.slots[core::hash_slot(h.lock)] || !(is_lost || is_late(i)))
                continue;
            check_overlap(h, std::max(h.from, promoted), bound);
            h.to = std::max(h.from, promoted);
            h.fence = 0;
        }
    }
}

// The grant of a write that was downgraded is not known any more.
bool contest::is_late(std::size_t hold) const
{
    return tokens_[hold].empty() || late_words_.contains(tokens_[hold]);
}

// The hold may be valid for that long after another one has begun.
void contest::check_overlap(held_interval const& h, std::int64_t since, std::int64_t bound) const
{
    for (std::size_t i = 0; i != holds_.size(); ++i)
        if (auto const& next = holds_[i]; next.lock == h.lock && next.from > since && next.from + bound < h.to
                                          && !(h.shared && next.shared) && !is_late(i))
            throw std::runtime_error(
                h.holder + " held " + h.lock + " for " + std::to_string((h.to - next.from) / 1'000'000)
                + " ms after its successor was granted it");
}

// How many keys a server of a cluster has of hash slots that are at another one. If a primary fails right after a slot
// has left it, its replica may not have learned that the keys are gone. No command reaches them.
std::int64_t contest::out_of_reach(simulated_server& s)
{
    if (!cluster_ || cluster_->failovers().empty())
        return 0;
    s.execute({"PING"});
    return std::ranges::count_if(
        s.model().keys().names(), [&](auto const& key) { return &cluster_->server_of(key) != &s; });
}

// Only the counters of fencing tokens may be left.
void contest::check_leftovers()
{
    std::int64_t left = 0;
    if (replicated_)
        left = replicated_->primary().execute({"DBSIZE"}).integer;
    else
        for_each_server([&](simulated_server& s) { left += s.execute({"DBSIZE"}).integer - out_of_reach(s); });
    for (unsigned i = 0; i < options_.locks; ++i)
        left -= server_of(i)
                    .execute({"EXISTS", core::fence_key(lock_name(i)), core::redisson_fence_key(lock_name(i))})
                    .integer;
    if (left != 0)
        throw std::runtime_error(std::to_string(left) + " keys are left");
}

// From then on, while a contender waits, a released lock is granted within that time: no wake-up was lost.
void contest::check_promptness(core::instant since, core::duration time_limit) const
{
    auto holds = holds_;
    std::ranges::sort(holds, {}, [](auto const& h) { return std::tie(h.lock, h.from); });
    std::size_t last = 0;  // index of the hold that ends last, of those before i
    for (std::size_t i = 1; i < holds.size(); ++i) {
        auto const& before = holds[last];
        auto const& after = holds[i];
        if (after.lock != before.lock || after.to > before.to)
            last = i;
        bool const was_released = !before.holder.ends_with(lost_mark);  // the key of a lost lease outlasts its validity
        auto const free_since = std::max(before.to, since.time_since_epoch().count());
        bool const is_gap = was_released && before.lock == after.lock && after.from - free_since > time_limit.count();
        bool const is_awaited = std::ranges::any_of(
            waits_, [&](auto const& w) { return w.lock == after.lock && w.from <= before.to && w.to >= after.from; });
        if (is_gap && is_awaited)
            throw std::runtime_error(
                after.lock + " was free for " + std::to_string((after.from - before.to) / 1'000) + " us at "
                + std::to_string(before.to) + " while somebody waited");
    }
}

// Nobody is granted a lock within `at_least` of the grant before. If the holder has lost its lease or was killed, the
// time counts from the server's execution, not from the receipt, which this test records.
void contest::check_gaps() const
{
    core::duration const slack = options_.network.delay.most;
    auto holds = holds_;
    std::ranges::sort(holds, {}, [](auto const& h) { return std::tie(h.lock, h.from); });
    for (std::size_t i = 1; i < holds.size(); ++i) {
        auto const gap = core::duration(holds[i].from - holds[i - 1].from);
        if (holds[i].lock == holds[i - 1].lock && gap + slack < options_.at_least)
            throw std::runtime_error(
                holds[i].lock + " was granted at " + std::to_string(holds[i].from) + ", only "
                + std::to_string(gap / 1us) + " us after the grant before");
    }
}

// As PTTL. Of a cluster, at the primary of the hash slot or, if the slot is half-moved, at the node that has the key.
std::int64_t contest::time_to_live(std::string_view key)
{
    std::int64_t left = -2;
    auto const* const primary = cluster_ ? &cluster_->server_of(key) : nullptr;
    bool const is_half_moved = cluster_ && !cluster_->model().destination_of(core::hash_slot(key)).empty();
    for_each_server([&](simulated_server& s) {
        if ((replicated_ && &s != &replicated_->primary()) || (primary && &s != primary && !is_half_moved))
            return;
        s.execute({"PING"});
        if (auto const* const found = s.model().keys().find(key))
            left = found->expires_at < 0 ? -1 : found->expires_at - s.model().keys().now_ms();
    });
    return left;
}

// A lease is never valid for longer than its key exists: else the server could grant the lock again meanwhile.
void contest::check_validity(lease const& l)
{
    auto const& tenure = tenure_of(l);
    auto left = time_to_live(tenure.lock().key);
    if (tenure.held_grant && !tenure.held_grant->own_key().empty())
        left = std::min(left, time_to_live(tenure.held_grant->own_key()));
    if (tenure.is_valid() && left >= 0
        && tenure.valid_until() > simulation_.now() + std::chrono::milliseconds(left + 1))
        throw std::runtime_error("a lease of " + std::string(tenure.lock().name) + " outlasts its key");
    if (options_.config.acknowledged_by > 0 && tenure.is_valid() && left < 0)
        throw std::runtime_error("the primary does not know a lease of " + std::string(tenure.lock().name));
}

}  // namespace holdfast::test
