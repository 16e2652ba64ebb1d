//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/registry.hpp"

#include "engine/context.hpp"
#include "engine/exclusive_arbiter.hpp"
#include "engine/lock_protocol.hpp"
#include "engine/owner_state.hpp"
#include "engine/shared_arbiter.hpp"

namespace holdfast::engine {
namespace {

// The write under which a contender reads; null: none.
tenure const* own_write(contender const& c, core::instant now)
{
    if (c.under())
        return c.under()->held_grant ? c.under().get() : nullptr;
    return c.owner() ? c.owner()->tenure_of(c.lock(), writers, now) : nullptr;
}

}  // namespace

registry::address registry::address::of(lock_spec const& lock, std::uint8_t side) noexcept
{
    return {lock.key, lock.key_hash, side};
}

boost::intrusive_ptr<arbiter> registry::arbiter_for(contender const& c)
{
    auto const& lock = c.lock();
    if (lock.protocol->is_private())
        return make_private(c, {});
    bool const reads = lock.protocol->side() == readers;
    if (auto const* write = reads ? own_write(c, context_.now()) : nullptr)
        return make_private(c, write->held_grant);
    if (auto const found = common_.find(address::of(lock, lock.protocol->side())); found != common_.end())
        return found->second;
    boost::intrusive_ptr<arbiter> fresh;
    if (reads)
        fresh.reset(new shared_arbiter(context_, c.shared_lock()));
    else
        fresh.reset(new exclusive_arbiter(context_, c.shared_lock()));
    common_.emplace(address::of(fresh->lock(), lock.protocol->side()), fresh);
    return fresh;
}

boost::intrusive_ptr<arbiter> registry::make_private(contender const& c, boost::intrusive_ptr<grant> cover)
{
    if (cover)
        cover->cover(c.terms().lease);
    return *private_.emplace(new exclusive_arbiter(context_, c.shared_lock(), true, std::move(cover))).first;
}

void registry::forget(arbiter& a)
{
    if (a.is_private()) {
        private_.erase(&a);
        return;
    }
    auto const found = common_.find(address::of(a.lock(), a.lock().protocol->side()));
    if (found != common_.end() && found->second == &a)
        common_.erase(found);
}

bool registry::has_waiting_writer(lock_spec const& lock) const noexcept
{
    auto const found = common_.find(address::of(lock, writers));
    return found != common_.end() && found->second->waiting() > 0;
}

boost::intrusive_ptr<fair_queue> registry::queue_of(std::shared_ptr<lock_spec const> const& lock)
{
    if (auto const found = queues_.find(lock->key); found != queues_.end())
        return found->second;
    boost::intrusive_ptr<fair_queue> fresh(new fair_queue(context_, lock));
    queues_.emplace(fresh->lock().key, fresh);
    return fresh;
}

void registry::forget(fair_queue& q)
{
    queues_.erase(q.lock().key);
}

void registry::clear() noexcept
{
    common_.clear();
    private_.clear();
    queues_.clear();
}

std::vector<boost::intrusive_ptr<arbiter>> registry::all_arbiters() const
{
    std::vector<boost::intrusive_ptr<arbiter>> all;
    for (auto const& entry : common_)
        all.push_back(entry.second);
    all.insert(all.end(), private_.begin(), private_.end());
    return all;
}

}  // namespace holdfast::engine
