//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEASE_REPAIR_HPP
#define HOLDFAST_LEASE_REPAIR_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/acquire_request.hpp>

#include "client/cancellation.hpp"
#include "client/client_state.hpp"
#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "engine/client_engine.hpp"
#include "engine/port/request.hpp"
#include "redlock/red_lock_impl.hpp"
#include "redlock/round_replies.hpp"

namespace holdfast::detail {

// Repairs the lease of a red_lock while it is held: acquires the lock again on the servers that lack it, because they
// restarted, or were silent or busy in the round. Without it the number of members can only decrease, and a lease is
// lost when a majority of the servers has restarted, even one by one.
//
// It is safe for the reason for which a round is. On each server the members that count exclude each other: a key
// excludes the other contenders, and a server that may have forgotten a key counts only when the lease of that key has
// ended. So it does not matter when a member joins: two leases that are valid at the same time would share a server.
//
// A member joins under these conditions:
// - The lease has had a majority without a gap: a lease that is lost stays lost (composite_lease::join).
// - The server counts, as in a round (node_reply::by_age), both before the attempt and for the grant.
// - A majority of other members was confirmed by commands that were sent after the member was found to be missing. The
//   exclusion does not need this. A forced release does: it deletes all keys, of which the client learns one by one. A
//   lease that its handler has not received is not renewed, so it is not repaired either.
// - The member ends with max_hold of the whole, and a lease with a fixed time is not repaired.
//
// It is a deadline in the queue of one client, because a timer is a client's (rule 24); of another client when that one
// stops. It looks at the members twice in the time after which a lease is renewed. So a lock that is held for a shorter
// time is never looked at.
class lease_repair final : public core::pooled<lease_repair>,
                           public engine::request,
                           private engine::client_waiter,
                           private core::deadline {
public:
    // Precondition: the lease is renewed. `began`: when the round began in which it was granted.
    lease_repair(
        std::shared_ptr<red_lock_impl const>,
        acquire_request const&,
        core::instant began,
        std::weak_ptr<round_replies>);

    // Called once; any thread. It owns itself until it has ended.
    void start() noexcept;
    // Any thread; idempotent.
    void stop() noexcept;

private:
    friend class cancellation<lease_repair>;

    // When a member was found to be missing, and when the leases of all members ended then.
    struct shortage {
        core::instant since;
        std::vector<core::instant> ends;
    };

    void move_on() noexcept;
    void retire() noexcept;
    void deliver(engine::client_engine&) override;
    void discard() noexcept override { move_on(); }
    void done(described_error) override;
    void on_due(core::instant now) override;
    void cancelled(engine::client_engine&);

    bool look(core::instant now);
    bool is_missing(std::size_t node, round_replies::member_list const&, core::instant now);
    bool counts(single_lock const& node, core::instant now) const;
    void ask(std::size_t node, single_lock const&, round_replies&, core::instant now);
    core::duration lease_of(std::size_t node) const;

    std::shared_ptr<red_lock_impl const> const lock_;
    acquire_request const request_;
    core::instant const began_;
    std::weak_ptr<round_replies> const replies_;    // weak: they own this object
    std::vector<std::optional<shortage>> missing_;  // by node; on the strand of the client in whose queue it is

    std::atomic<bool> is_stopped_ = false;
    std::atomic<engine::client_engine*> at_ = nullptr;  // in whose queue it is; null: in none
    std::mutex mutex_;                                  // protects client_
    std::weak_ptr<client_state> client_;                // to which it was sent
    cancellation<lease_repair> cancellation_{*this};
};

}  // namespace holdfast::detail

#endif
