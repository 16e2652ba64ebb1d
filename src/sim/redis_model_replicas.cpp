//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// WAIT, and what a failover changes at a server. The rest of the class is in redis_model.cpp.

#include <algorithm>
#include <vector>

#include "sim/redis_model.hpp"

namespace holdfast::simulated {

// As in Redis 8: only a write counts for the WAIT of its connection. In Redis 7.0 every command before it does.
void redis_model::note_write(connection& c)
{
    replicas_.record(keys_);
    c.written = replicas_.written();
}

value redis_model::wait(connection& c, std::int64_t replicas, std::int64_t timeout_ms)
{
    auto const known = std::int64_t(replicas_.acknowledged(c.written));
    if (assumes_replicas_)
        return of(std::max(known, replicas));
    if (known >= replicas)
        return of(known);
    c.blocked = {++waits_, replicas, c.written, timeout_ms};
    return no_reply();
}

wait_under_way const* redis_model::blocked(connection_id id) const
{
    auto const at = connections_.find(id);
    return at != connections_.end() && at->second.blocked ? &*at->second.blocked : nullptr;
}

void redis_model::unblock(connection& c, value const& reply)
{
    c.blocked.reset();
    c.peer->on_unblocked(reply);
}

void redis_model::acknowledge(replication::replica r, replication::offset o)
{
    replicas_.acknowledge(r, o);
    for (auto& [id, c] : connections_) {
        auto const known = c.blocked ? std::int64_t(replicas_.acknowledged(c.blocked->written)) : 0;
        if (c.blocked && known >= c.blocked->replicas)
            unblock(c, of(known));
    }
}

void redis_model::end_wait(connection_id id, std::uint64_t number)
{
    auto const at = connections_.find(id);
    if (at != connections_.end() && at->second.blocked && at->second.blocked->number == number)
        unblock(at->second, of(std::int64_t(replicas_.acknowledged(at->second.blocked->written))));
}

// Connections that are not blocked stay open, as in Redis.
void redis_model::demote()
{
    condition_ = condition::replica;
    replicas_.detach_all();
    std::vector<connection_id> ended;
    for (auto& [id, c] : connections_)
        if (c.blocked)
            ended.push_back(id);
    for (auto const id : ended) {
        unblock(
            connections_.at(id),
            error("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"));
        kill(id);
    }
}

void redis_model::promote(keyspace const& data)
{
    condition_ = condition::normal;
    auto const now = keys_.now_us();
    keys_ = data;
    keys_.set_time(std::max(now, data.now_us()));
    scripts_.clear();
}

}  // namespace holdfast::simulated
