//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/registry.hpp"

#include "engine/acquire/contender_result.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/exclusive_arbiter.hpp"
#include "engine/acquire/permit_arbiter.hpp"
#include "engine/acquire/shared_arbiter.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/end_listener.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {
namespace {

// The write of its owner under which a contender reads; null: none. A downgrade names it: its owner may hold the lock
// several times.
tenure const* own_write(contender const& c, core::instant now)
{
    if (c.under())
        return c.under()->held_grant ? c.under().get() : nullptr;
    return c.owner() ? c.owner()->tenure_of(c.lock(), writers, now) : nullptr;
}

// Contenders of one side have an arbiter in common, and its attempts are those of its head. A handle that never creates
// its semaphore would keep those behind it from creating it.
constexpr std::uint8_t never_creating = 2;

std::uint8_t side_of(lock_spec const& lock) noexcept
{
    return lock.semaphore && lock.semaphore->permits == 0 ? never_creating : lock.protocol->side();
}

}  // namespace

registry::address registry::address::of(lock_spec const& lock, std::uint8_t side) noexcept
{
    return {lock.key, lock.key_hash, side};
}

void registry::contend(contender& c)
{
    auto& runtime = parts_.runtime;
    if (auto const ec = runtime.admission_error(c.lock()))
        return fail(runtime, c, ec);
    // A downgrade contends although its owner holds the lock.
    if (auto const* owner = c.owner().get(); owner && !c.under()) {
        if (auto* held = owner->tenure_of(c.lock(), runtime.now()))
            return held->held_grant->home->re_enter(c, *held);
        // The write would wait for its owner's own read to end.
        if (c.lock().protocol->side() == writers && owner->tenure_of(c.lock(), readers, runtime.now()))
            return fail(runtime, c, errc::would_deadlock);
        // An owner is one task, which cannot wait twice: two tasks share the owner by mistake.
        if (!owner->is_process() && owner->waits_for(c.lock()))
            return fail(runtime, c, errc::owner_in_use);
    }
    if (c.requires_connection() && runtime.shard_of(c.lock()).is_away())
        return fail_unconnected(runtime, c);
    arbiter_for(c)->join(c);
}

registry::arbiter_ptr registry::arbiter_for(contender const& c)
{
    auto const& lock = c.lock();
    if (lock.protocol->is_private())
        return make_private(c, {});
    bool const reads = lock.protocol->side() == readers;
    // A read under an own write belongs to that owner alone: other readers must not join its grant.
    if (auto const* write = reads ? own_write(c, parts_.runtime.now()) : nullptr)
        return make_private(c, write->held_grant);
    if (auto const found = common_.find(address::of(lock, side_of(lock))); found != common_.end())
        return found->second;
    arbiter_ptr fresh;
    if (reads)
        fresh.reset(new shared_arbiter(parts_, c.shared_lock()));
    else if (lock.protocol->has_permits())
        fresh.reset(new permit_arbiter(parts_, c.shared_lock()));
    else
        fresh.reset(new exclusive_arbiter(parts_, c.shared_lock()));
    // The key refers to the arbiter's lock, because the contender's may end first.
    common_.emplace(address::of(fresh->lock(), side_of(lock)), fresh);
    return fresh;
}

registry::arbiter_ptr registry::make_private(contender const& c, boost::intrusive_ptr<grant> cover)
{
    if (cover)
        // Before the first attempt, so that the write is not handed off while the read is sought.
        cover->cover(c.terms().lease);
    arbiter_ptr fresh(new exclusive_arbiter(parts_, c.shared_lock(), true, std::move(cover)));
    private_.push_back(*fresh);
    intrusive_ptr_add_ref(fresh.get());
    return fresh;
}

void registry::forget(queued_arbiter& a)
{
    // It may have been dropped before.
    if (a.is_private() && a.is_linked())
        private_.erase_and_dispose(private_.iterator_to(a), drop);
    else if (!a.is_private())
        forget_common(a);
    listener_.on_end();
}

void registry::forget_common(queued_arbiter const& a)
{
    auto const found = common_.find(address::of(a.lock(), side_of(a.lock())));
    // The lock may have another arbiter by now.
    if (found != common_.end() && found->second == &a)
        common_.erase(found);
}

bool registry::has_waiting_writer(lock_spec const& lock) const noexcept
{
    auto const found = common_.find(address::of(lock, writers));
    return found != common_.end() && found->second->waiting() > 0;
}

void registry::clear() noexcept
{
    common_.clear();
    private_.clear_and_dispose(drop);
}

void registry::drop(queued_arbiter* a) noexcept
{
    intrusive_ptr_release(a);
}

std::vector<registry::arbiter_ptr> registry::all_arbiters()
{
    std::vector<arbiter_ptr> all;
    for (auto const& entry : common_)
        all.push_back(entry.second);
    for (auto& a : private_)
        all.emplace_back(&a);
    return all;
}

}  // namespace holdfast::engine
