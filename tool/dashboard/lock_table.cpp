//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/lock_table.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::cli::dashboard {
namespace {

using namespace std::chrono_literals;

// A difference below this is that of two replies, not of a renewal.
constexpr auto least_renewal = 250ms;

bool is_free(detail::lock_record const& lock)
{
    return lock.kind == detail::recorded_kind::free;
}

// Whether a holder's lease ends at another time than the earlier observation said. Precondition: the same holders.
bool is_renewed(watched_lock const& before, detail::lock_record const& after, instant now)
{
    auto const& old = before.record.holders;
    auto const& fresh = after.holders;
    for (std::size_t i = 0; i < std::min(old.size(), fresh.size()); ++i) {
        auto const moved = (now + fresh[i].remaining) - (before.observed + old[i].remaining);
        bool const changes_kind = (old[i].remaining < 0ms) != (fresh[i].remaining < 0ms);
        if (changes_kind || (fresh[i].remaining >= 0ms && std::chrono::abs(moved) > least_renewal))
            return true;
    }
    return false;
}

}  // namespace

watched_lock const* lock_table::find(std::string const& name) const
{
    auto const found = ids_.find(name);
    return found == ids_.end() ? nullptr : &locks_.at(found->second);
}

watched_lock& lock_table::add(std::string const& name)
{
    auto const id = ++last_id_;
    ids_.emplace(name, id);
    auto& lock = locks_[id];
    lock.id = id;
    lock.record.name = name;
    lock.place = by_observation_.insert(by_observation_.end(), id);
    return lock;
}

void lock_table::touch(watched_lock& lock, bool is_change)
{
    by_revision_.erase(lock.revision);
    lock.revision = ++last_revision_;
    by_revision_.emplace(lock.revision, lock.id);
    if (is_change)
        lock.changed = lock.revision;
}

std::vector<lock_change> lock_table::observe(detail::lock_record record, moment now, bool is_first_pass)
{
    auto const known = ids_.find(record.name);
    bool const is_new = known == ids_.end();
    if (is_new && (is_free(record) || locks_.size() >= most_)) {
        is_full_ = is_full_ || !is_free(record);
        return {};
    }
    auto& lock = is_new ? add(record.name) : locks_.at(known->second);
    auto changes = changes_between(lock.record, record);
    bool const differs = is_new || !same_apart_from_time(lock.record, record);
    if (differs || is_renewed(lock, record, now.at))
        touch(lock, differs);
    if (is_free(record) && !is_free(lock.record))
        lock.free_since = now.at;
    if (!changes.empty())
        lock.since_ms = is_first_pass && is_new ? 0 : now.wall_ms;
    lock.record = std::move(record);
    lock.observed = now.at;
    by_observation_.splice(by_observation_.end(), by_observation_, lock.place);
    return is_first_pass && is_new ? std::vector<lock_change>() : changes;
}

std::vector<std::string> lock_table::stalest(std::size_t n, instant since) const
{
    std::vector<std::string> names;
    for (auto const id : by_observation_) {
        auto const& lock = locks_.at(id);
        if (names.size() == n || lock.observed > since)
            break;
        names.push_back(lock.record.name);
    }
    return names;
}

void lock_table::drop_free(instant since)
{
    std::vector<std::uint64_t> old;
    for (auto const& [id, lock] : locks_)
        if (is_free(lock.record) && lock.free_since <= since)
            old.push_back(id);
    for (auto const id : old)
        remove(id);
}

void lock_table::remove(std::uint64_t id)
{
    auto const found = locks_.find(id);
    touch(found->second, true);  // the entry of by_revision_ stays: its id is not in locks_ any more
    removals_.push_back(found->second.revision);
    by_observation_.erase(found->second.place);
    ids_.erase(found->second.record.name);
    locks_.erase(found);
    is_full_ = false;
    if (removals_.size() > most_removed_) {
        forgotten_ = removals_.front();
        by_revision_.erase(forgotten_);
        removals_.pop_front();
    }
}

table_delta lock_table::differences(std::uint64_t revision, std::size_t limit) const
{
    table_delta found;
    found.revision = revision;
    for (auto at = by_revision_.upper_bound(revision); at != by_revision_.end() && limit > 0; ++at, --limit) {
        found.revision = at->first;
        auto const lock = locks_.find(at->second);
        if (lock == locks_.end())
            found.removed.push_back(at->second);
        else
            (lock->second.changed > revision ? found.changed : found.renewed).push_back(&lock->second);
    }
    return found;
}

}  // namespace holdfast::cli::dashboard
