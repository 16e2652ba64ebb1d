//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASER_HPP
#define HOLDFAST_ENGINE_RELEASER_HPP

#include <cstddef>
#include <cstdint>
#include <map>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/script_call.hpp"
#include "engine/release/release_history.hpp"

namespace holdfast::engine {

class arbiter;
class end_listener;
class runtime;
class shard;
enum class shard_id : std::uint16_t;

// Waits for the outcome of a release. Its creator owns it until it is called, once, on the strand. It must not stop the
// client within the call: other calls for the same reply follow.
class release_waiter {
public:
    // Success; lease_lost; unavailable, although the release goes on; client_stopped; or the error with which the
    // server refused it.
    virtual void released(detail::described_error) = 0;

protected:
    ~release_waiter() = default;
};

// How many releases were overtaken.
using overtaken_count = std::uint64_t;

// The folder `engine/release` deletes tokens on the server. It may include `core` and the folders `port`, `protocol`,
// `runtime` and `hold` of the engine.
//
// The releaser deletes the tokens of leases that end and, as compensation, those of acquisitions whose outcome is
// unknown or that no contender wants any more (rule 7). It repeats a release, over reconnections, until the server has
// answered or the key must have expired; release_schedule.hpp says when. Releases of one iteration of the event loop
// are sent as one script, which halves the server's time for each. The releases that a server has executed last are
// executed again by a server that takes its place: release_history.hpp says which. On the strand.
class releaser {
public:
    releaser(runtime&, end_listener&);
    releaser(releaser const&) = delete;
    releaser& operator=(releaser const&) = delete;
    ~releaser();

    // Retires the token (rule 6) and queues its release, which is sent with the others of this iteration. `waiter` and
    // `yielding` may be null. `yielding` is an arbiter that gives other processes a turn: it receives the number of
    // subscribers that received the message. Its release is sent at once and alone, on which acquisition::yield()
    // relies.
    void release(boost::intrusive_ptr<grant>, release_waiter* waiter, arbiter* yielding);

    // Sends the releases that are queued for that server; `of`: only if one of them is of that lock. Called before
    // another command for the lock is submitted, which must not overtake them, and at the end of the iteration.
    // Precondition: the session is open.
    void flush(shard&);
    void flush(lock_spec const& of);

    // While a hash slot is moved key by key, waiters do not notice a release at the destination. Until when this client
    // leaves the lock to them, if it has released it there; min: it has not.
    core::instant unnoticed_until(lock_spec const&) const noexcept;

    // A release that got NOSCRIPT is sent again, behind commands that were sent after it. So an attempt of this client can
    // be refused because of a grant that the client has released before. The count at the time of an attempt shows
    // when it is refused whether a release of that lock was overtaken since. Only the reply to that release ends this:
    // the refusal comes before it, so the next attempt goes behind the release.
    overtaken_count overtaken() const noexcept { return overtaken_; }
    bool was_overtaken(lock_spec const&, overtaken_count since) const noexcept;

    // The number of releases that have not ended.
    std::size_t size() const noexcept;

    // A new epoch: sends all releases for that server again, before renewals and attempts that depend on them (rule
    // 11); of those that were executed, the last ones, if it is another server.
    void on_open(shard&);
    // The connection is lost: releases that were queued but not sent wait for the next epoch.
    void on_closed(shard&);
    // These slots have another primary: sends the releases that wait there, and repeats the last ones that were
    // executed.
    void on_moved(core::slot_set const&);
    // Completes all waiters with `client_stopped` and forgets all releases: their keys expire. Precondition: the
    // sessions are stopped.
    void stop();

private:
    class order;  // release_order.hpp

    void gather(script const&, order&);
    void repeat(release_history&);
    void on_unnoticed(lock_spec const&);

    runtime& runtime_;
    end_listener& listener_;
    // A node whose address has changed keeps its history. An order that repeats a release refers to the one that had it.
    std::map<shard_id, release_history> histories_;
    boost::intrusive::list<order, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> orders_;
    overtaken_count overtaken_ = 0;
    boost::unordered_flat_map<std::uint32_t, core::instant> unnoticed_;  // by the hash of the key: the end of the turn
};

}  // namespace holdfast::engine

#endif
