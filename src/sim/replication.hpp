//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_REPLICATION_HPP
#define HOLDFAST_TESTING_REPLICATION_HPP

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "sim/keyspace.hpp"

namespace holdfast::simulated {

// What the replicas of one primary have. Its writes are one line, and each replica has all of them up to an offset, so
// a replica that has acknowledged a write has all earlier ones, too. A replica that is promoted starts with data(): the
// writes behind its offset are lost.
//
// It has no clock: each write is passed to the stream, once for each attached replica, and the caller says when it has
// arrived there (receive()) and when the primary learns of that (redis_model::acknowledge()).
//
// | replica  | event         | next     | effect                                                             |
// |----------|---------------|----------|--------------------------------------------------------------------|
// |          | attach()      | attached | has a full copy, which the primary knows                           |
// | attached | a write       | attached | passed to the stream                                               |
// | attached | receive()     | attached | has the data of that offset, unless it has later ones              |
// | attached | acknowledge() | attached | counts for that offset                                             |
// | attached | detach()      | detached | does not count any more; data() is what it had received            |
// | detached | receive(),    | detached | nothing: its link to the primary is lost                           |
// |          | acknowledge() |          |                                                                    |
//
// A replica that was detached attaches again as another one. Not modelled: replicas of replicas, partial
// resynchronisation.
class replication {
public:
    using offset = std::uint64_t;
    using replica = std::size_t;  // in the order of attach()

    // Called after each write for each attached replica. It must not call back.
    using stream = std::function<void(replica, offset)>;
    void stream_to(stream s) { stream_ = std::move(s); }

    replica attach(keyspace const& data);
    void detach(replica r) { replicas_.at(r).is_attached = false; }
    // The primary has become a replica itself, or ended.
    void detach_all();

    // A write was executed, which led to that data.
    void record(keyspace const& data);
    offset written() const noexcept { return written_; }

    void receive(replica, offset);
    // Use redis_model::acknowledge(), which also ends the WAITs of its clients.
    void acknowledge(replica, offset);

    // How many attached replicas have acknowledged all writes up to that one: the reply to WAIT.
    std::size_t acknowledged(offset) const;

    bool has_attached() const;
    bool is_attached(replica r) const { return replicas_.at(r).is_attached; }
    offset received(replica r) const { return replicas_.at(r).received; }
    keyspace const& data(replica r) const { return *replicas_.at(r).data; }

private:
    struct state {
        bool is_attached = true;
        offset received = 0;
        offset acknowledged = 0;
        std::shared_ptr<keyspace const> data;
    };

    void forget_received();

    stream stream_;
    offset written_ = 0;
    offset first_ = 1;  // of history_
    std::deque<std::shared_ptr<keyspace const>>
        history_;  // the data after each write that a replica has yet to receive
    std::vector<state> replicas_;
};

}  // namespace holdfast::simulated

#endif
