//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_FAIR_QUEUES_HPP
#define HOLDFAST_ENGINE_FAIR_QUEUES_HPP

#include <memory>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "core/cluster_map.hpp"
#include "engine/acquire/fair_queue.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class runtime;
class shard;

// The queues of the fair locks of one client, one for each lock that is in use. On the strand.
class fair_queues {
public:
    explicit fair_queues(runtime& r) noexcept : runtime_(r) {}

    // Finds or makes the queue of that lock.
    boost::intrusive_ptr<fair_queue> queue_of(std::shared_ptr<lock_spec const> const&);
    // Called by a queue that has ended; may destroy it.
    void forget(fair_queue&);
    // A new epoch of that server.
    void on_open(shard&);
    // These slots have another primary.
    void on_moved(core::slot_set const&);
    void clear() noexcept { queues_.clear(); }

private:
    runtime& runtime_;
    boost::unordered_flat_map<std::string_view, boost::intrusive_ptr<fair_queue>> queues_;  // keys are views into them
};

}  // namespace holdfast::engine

#endif
