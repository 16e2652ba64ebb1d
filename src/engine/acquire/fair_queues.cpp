//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/fair_queues.hpp"

#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

boost::intrusive_ptr<fair_queue> fair_queues::queue_of(std::shared_ptr<lock_spec const> const& lock)
{
    if (auto const found = queues_.find(lock->key); found != queues_.end())
        return found->second;
    boost::intrusive_ptr<fair_queue> fresh(new fair_queue(runtime_, *this, lock));
    // The key is a view into the lock that the queue keeps, not into the caller's, which may end first.
    queues_.emplace(fresh->lock().key, fresh);
    return fresh;
}

void fair_queues::forget(fair_queue& q)
{
    queues_.erase(q.lock().key);
}

void fair_queues::on_open(shard& at)
{
    for (auto const& entry : queues_)
        if (runtime_.is_at(at, entry.second->lock()))
            entry.second->on_open();
}

void fair_queues::on_moved(core::slot_set const& moved)
{
    for (auto const& entry : queues_)
        if (moved[entry.second->lock().slot])
            entry.second->on_open();
}

}  // namespace holdfast::engine
