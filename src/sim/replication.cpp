//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/replication.hpp"

#include <algorithm>

namespace holdfast::simulated {

replication::replica replication::attach(keyspace const& data)
{
    replicas_.push_back(
        {.received = written_, .acknowledged = written_, .data = std::make_shared<keyspace const>(data)});
    return replicas_.size() - 1;
}

void replication::detach_all()
{
    for (auto& r : replicas_)
        r.is_attached = false;
    forget_received();
}

bool replication::has_attached() const
{
    return std::ranges::any_of(replicas_, &state::is_attached);
}

// Without replicas a write is counted and not kept: a copy of the data for each would slow down all simulations.
void replication::record(keyspace const& data)
{
    ++written_;
    if (!has_attached()) {
        history_.clear();
        first_ = written_ + 1;
        return;
    }
    history_.push_back(std::make_shared<keyspace const>(data));
    for (replica r = 0; stream_ && r != replicas_.size(); ++r)
        if (replicas_[r].is_attached)
            stream_(r, written_);
}

void replication::receive(replica r, offset o)
{
    auto& s = replicas_.at(r);
    if (!s.is_attached || o <= s.received)
        return;
    s.received = o;
    s.data = history_.at(o - first_);
    forget_received();
}

void replication::acknowledge(replica r, offset o)
{
    auto& s = replicas_.at(r);
    if (s.is_attached)
        s.acknowledged = std::max(s.acknowledged, std::min(o, s.received));
}

std::size_t replication::acknowledged(offset o) const
{
    return std::size_t(
        std::ranges::count_if(replicas_, [o](state const& s) { return s.is_attached && s.acknowledged >= o; }));
}

void replication::forget_received()
{
    auto least = written_;
    for (auto const& s : replicas_)
        if (s.is_attached)
            least = std::min(least, s.received);
    for (; !history_.empty() && first_ <= least; ++first_)
        history_.pop_front();
}

}  // namespace holdfast::simulated
